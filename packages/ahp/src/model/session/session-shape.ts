// The shapes of a session's state and actions.
import { permissionRuleShape } from "../chat/approval.ts";
import { chatPhaseShape } from "../chat/chat-shape.ts";
import type { ChatSummary } from "../chat/chat.ts";
import { inputRequestShape } from "../chat/input-request.ts";
import { pendingToolCallShape } from "../chat/tool-call-shape.ts";
import { noticeShape } from "../chat/turn-shape.ts";
import { actorShape, errorInfoShape } from "../failure.ts";
import { keyLimitsShape, limitInForceShape } from "../limit.ts";
import type { ApprovalId, InputRequestId } from "../ids.ts";
import {
  count,
  flag,
  id,
  jsonObject,
  jsonValue,
  list,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  taggedUnion,
  text,
  type FieldShapes,
  type Shape,
} from "../shape.ts";
import { annotationCountsShape, annotationShape } from "./annotation.ts";
import type {
  ActiveClient,
  ChangeSummary,
  ChatSummaryChanges,
  ConnectedAgent,
  ContextLoss,
  ReviewedFile,
  SessionAction,
  SessionInputRequest,
  SessionIsolation,
  SessionLifecycle,
  SessionOwner,
  SessionState,
} from "./session.ts";
import type { SessionPhase, SessionSummary } from "./session-summary.ts";
import {
  commandsShape,
  configOptionsShape,
  configValuesShape,
  modesShape,
  runtimeOptionsChangesShape,
  runtimeOptionsShape,
} from "./settings.ts";

const ownerShape = taggedUnion<SessionOwner, "kind">("kind", {
  person: {},
  app: { appId: id("app"), name: optional(text), limits: optional(keyLimitsShape) },
});

const lifecycleFields = {
  creating: {},
  ready: {},
  stale: { since: text, cause: text },
  resuming: {},
  failed: { error: errorInfoShape },
  closed: { closedAt: text, by: actorShape, reason: optional(text) },
};

const lifecycleShape = taggedUnion<SessionLifecycle, "status">("status", lifecycleFields);

export const sessionPhaseShape = taggedUnion<SessionPhase, "status">("status", {
  ...lifecycleFields,
  ready: { lastTurnFailed: optional(literal(true)) },
  stale: { ...lifecycleFields.stale, lastTurnFailed: optional(literal(true)) },
  busy: {
    chat: id("chat URI"),
    turnId: id("turn"),
    waitingFor: oneOf("agent", "model", "tool", "permission", "input"),
  },
});

const agentShape = object<ConnectedAgent>({
  name: text,
  version: optional(text),
  resume: oneOf("resume", "load", "none"),
  accepts: list(text),
  forks: optional(flag),
  runsMessages: optional(flag),
  asks: optional(flag),
  askModes: optional(list(text)),
});

const isolationShape = object<SessionIsolation>({
  wanted: text,
  level: text,
  backend: optional(text),
  gaps: optional(list(text)),
  reason: optional(text),
});

const clientShape = object<ActiveClient>({
  clientId: id("client"),
  displayName: optional(text),
  tools: list(jsonValue),
  members: optional(jsonObject),
});

/** An approval and a question are named by ids of different kinds that look the same. */
const inputNeededIdShape: Shape<ApprovalId | InputRequestId> = id("approval");

const inputNeededShape = taggedUnion<SessionInputRequest, "kind">("kind", {
  toolConfirmation: {
    id: id("approval"),
    chat: id("chat URI"),
    turnId: id("turn"),
    toolCall: pendingToolCallShape,
  },
  chatInput: { id: id("input request"), chat: id("chat URI"), request: inputRequestShape },
});

const chatSummaryShape = object<ChatSummary>({
  resource: id("chat URI"),
  title: text,
  modifiedAt: text,
  isRead: flag,
  isArchived: flag,
  activity: optional(text),
  phase: chatPhaseShape,
});

const chatChangesShape = object<ChatSummaryChanges>({
  title: optional(text),
  modifiedAt: optional(text),
  isRead: optional(flag),
  isArchived: optional(flag),
  activity: optional(nullable(text)),
  phase: optional(chatPhaseShape),
});

export const changeSummaryShape = object<ChangeSummary>({ files: count, additions: count, deletions: count });

const reviewedFilesShape = list(object<ReviewedFile>({ path: text, version: text }));

const shared = {
  resource: id("session URI"),
  key: id("session key"),
  provider: id("agent"),
  owner: ownerShape,
  label: optional(text),
  title: text,
  createdAt: text,
  lastActivityAt: text,
  isRead: flag,
  isArchived: flag,
  activity: optional(text),
  workingDirectories: list(text),
  changes: optional(changeSummaryShape),
} satisfies Partial<FieldShapes<SessionState>>;

export const sessionSummaryShape = object<SessionSummary>({
  ...shared,
  phase: sessionPhaseShape,
  inputNeededCount: count,
  annotationCounts: optional(annotationCountsShape),
});

export const sessionStateShape = object<SessionState>({
  ...shared,
  lifecycle: lifecycleShape,
  backendId: optional(text),
  backendCwd: optional(text),
  forwardedProvider: optional(text),
  mcpServers: optional(list(text)),
  isolation: optional(isolationShape),
  agent: optional(agentShape),
  contextLoss: optional(object<ContextLoss>({ at: text, reason: text })),
  lastError: optional(errorInfoShape),
  runtimeOptions: runtimeOptionsShape,
  limits: optional(list(limitInForceShape)),
  chats: list(chatSummaryShape),
  defaultChat: optional(id("chat URI")),
  inputNeeded: list(inputNeededShape),
  activeClients: list(clientShape),
  commands: commandsShape,
  modes: optional(modesShape),
  configOptions: configOptionsShape,
  notices: list(noticeShape),
  reviewedFiles: optional(reviewedFilesShape),
  annotations: optional(list(annotationShape)),
  permissionRules: optional(list(permissionRuleShape)),
});

export const sessionActionShape = taggedUnion<SessionAction, "type">("type", {
  "session/ready": {
    at: text,
    backendId: optional(text),
    backendCwd: optional(text),
    agent: optional(agentShape),
  },
  "session/creationFailed": { error: errorInfoShape },
  "session/stale": { at: text, cause: text, error: optional(errorInfoShape) },
  "session/resuming": {},
  "session/contextLost": { at: text, reason: text },
  "session/closed": { at: text, by: actorShape, reason: optional(text) },
  "session/reopened": { at: text, by: actorShape },
  "session/chatAdded": { chat: chatSummaryShape },
  "session/chatUpdated": { chat: id("chat URI"), changes: chatChangesShape },
  "session/chatRemoved": { chat: id("chat URI") },
  "session/defaultChatChanged": { defaultChat: optional(id("chat URI")) },
  "session/inputNeededSet": { request: inputNeededShape },
  "session/inputNeededRemoved": { id: inputNeededIdShape },
  "session/runtimeOptionsChanged": { changes: runtimeOptionsChangesShape },
  "session/limitsChanged": { limits: optional(list(limitInForceShape)) },
  "session/commandsChanged": { commands: commandsShape },
  "session/modesChanged": { modes: optional(modesShape) },
  "session/modeChanged": { modeId: text },
  "session/configOptionsChanged": { configOptions: configOptionsShape },
  "session/configChanged": { config: configValuesShape },
  "session/titleChanged": { title: text },
  "session/labelChanged": { label: optional(text) },
  "session/activityChanged": { activity: optional(text) },
  "session/isolationChanged": { isolation: isolationShape },
  "session/isReadChanged": { isRead: flag },
  "session/isArchivedChanged": { isArchived: flag },
  "session/workingDirectoriesChanged": { workingDirectories: list(text) },
  "session/activeClientSet": { client: clientShape },
  "session/activeClientRemoved": { clientId: id("client") },
  "session/noticeAdded": { notice: noticeShape },
  "session/errorReported": { error: errorInfoShape },
  "session/changesChanged": { changes: optional(changeSummaryShape) },
  "session/reviewedFilesChanged": { files: reviewedFilesShape },
  "session/annotationSet": { annotation: annotationShape },
  "session/annotationRemoved": { id: text },
  "session/permissionRuleAdded": { rule: permissionRuleShape },
  "session/permissionRuleRemoved": { id: id("permission rule") },
});
