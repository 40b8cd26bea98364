// Sessions from AHP 0.5 to 1.0: the state, and the actions for each change.
import type { ChatSummary } from "../../model/chat/chat.ts";
import { sessionPhase, type SessionSummary } from "../../model/session/session-summary.ts";
import type {
  ChangeSummary,
  SessionInputRequest,
  SessionLifecycle,
  SessionState,
} from "../../model/session/session.ts";
import { showAnnotationCounts } from "../ahp/annotation.ts";
import { showChangesets } from "../ahp/changeset.ts";
import type { ChatStyle } from "../ahp/chat.ts";
import { configActions, configEcho, showClient, showConfig, type WireConfig } from "../ahp/session.ts";
import { showInputRequest } from "../ahp/message.ts";
import { hasNewMeta, sessionMeta, summaryMeta } from "../ahp/meta.ts";
import type { RootStyle } from "../ahp/root.ts";
import { sessionStatus } from "../ahp/status.ts";
import { showTerminalInfo, type WireTerminalInfo } from "../ahp/terminal-state.ts";
import { showPendingToolCall } from "../ahp/tool-call.ts";
import { showError } from "../ahp/turn.ts";
import type { WireError, WireInputRequest, WireMeta, WirePendingToolCall } from "../ahp/wire-chat.ts";
import { changedFields, stepOf, type WireAction, type WireStep } from "../ahp/wire-action.ts";
import type { StepOf } from "../dialect.ts";
import { showChatSummary, type WireChatSummary } from "./chat.ts";
import type { SessionStyle, VersionStyle } from "./version.ts";

interface WireSessionMetadata {
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly workingDirectories?: readonly string[];
  /** Up to 0.6, which knows one folder. */
  readonly workingDirectory?: string | undefined;
  readonly _meta?: WireMeta;
}

interface WireSessionSummary extends WireSessionMetadata {
  readonly resource: string;
  readonly createdAt: string;
  readonly modifiedAt: string;
  readonly changes?: ChangeSummary;
  readonly annotations: ReturnType<typeof showAnnotationCounts>;
}

type WireInputNeeded =
  | {
      readonly kind: "toolConfirmation";
      readonly id: string;
      readonly chat: string;
      readonly turnId: string;
      readonly toolCall: WirePendingToolCall;
    }
  | {
      readonly kind: "chatInput";
      readonly id: string;
      readonly chat: string;
      readonly request: WireInputRequest;
    };

interface WireSessionState extends WireSessionMetadata {
  readonly lifecycle: "creating" | "ready" | SessionStyle["failedLifecycle"];
  readonly creationError?: WireError;
  readonly activeClients: readonly object[];
  readonly chats: readonly WireChatSummary[];
  readonly defaultChat?: string;
  readonly config?: WireConfig;
  readonly inputNeeded?: readonly WireInputNeeded[];
  readonly changesets?: ReturnType<typeof showChangesets>;
}

export function showSession(session: SessionState, style: VersionStyle): WireSessionState {
  const { provider, title, activity, workingDirectories, lifecycle, inputNeeded } = session;
  const hasInputNeeded = style.session.hasInputNeeded && inputNeeded.length > 0;
  return {
    provider,
    title,
    status: sessionStatus(sessionPhase(session), session),
    activity,
    ...showFolders(workingDirectories, style),
    lifecycle: showLifecycle(lifecycle, style),
    creationError: lifecycle.status === "failed" ? showError(lifecycle.error) : undefined,
    activeClients: session.activeClients.map(showClient),
    chats: session.chats.map(showChatSummary),
    defaultChat: session.defaultChat,
    config: showConfig(session),
    inputNeeded: hasInputNeeded
      ? inputNeeded.map((request) => showInputNeeded(request, style.chat))
      : undefined,
    changesets: showChangesets(session.resource, style.session.changesets),
    _meta: sessionMeta(session),
  };
}

function showInputNeeded(request: SessionInputRequest, style: ChatStyle): WireInputNeeded {
  const { id, chat } = request;
  if (request.kind === "chatInput") {
    return { kind: request.kind, id, chat, request: showInputRequest(request.request) };
  }
  const { kind, turnId, toolCall } = request;
  const place = { chat, turnId, toolCallId: toolCall.toolCallId };
  return { kind, id, chat, turnId, toolCall: showPendingToolCall(toolCall, place, style) };
}

function showFolders(
  workingDirectories: readonly string[],
  { session }: VersionStyle,
): Pick<WireSessionMetadata, "workingDirectories" | "workingDirectory"> {
  return session.hasWorkingDirectories ? { workingDirectories } : { workingDirectory: workingDirectories[0] };
}

/** AHP does not know that an agent's process comes and goes: to it, such a session is ready. */
function showLifecycle(
  { status }: SessionLifecycle,
  { session }: VersionStyle,
): WireSessionState["lifecycle"] {
  if (status === "failed") return session.failedLifecycle;
  return status === "creating" ? status : "ready";
}

/** The actions for one step: one for each part that shows and is another object than before. */
export function stepSession(step: StepOf<"session">, style: VersionStyle): WireStep {
  const { before, after } = step;
  return stepOf([
    ...configEcho(step),
    ...lifecycleActions(before, after, style),
    ...fieldActions(before, after),
    ...(style.session.hasWorkingDirectories ? directoryActions(before, after) : []),
    ...chatActions(before, after),
    ...(style.session.hasInputNeeded ? inputNeededActions(before, after, style.chat) : []),
    ...clientActions(before, after),
    ...configActions(before, after),
    ...(hasNewMeta(before, after) ? [{ type: "session/metaChanged", _meta: sessionMeta(after) }] : []),
  ]);
}

function lifecycleActions(
  before: SessionState,
  after: SessionState,
  style: VersionStyle,
): readonly WireAction[] {
  if (after.lifecycle === before.lifecycle) return [];
  if (after.lifecycle.status === "failed") {
    return [{ type: "session/creationFailed", error: showError(after.lifecycle.error) }];
  }
  const isReady =
    showLifecycle(before.lifecycle, style) === "creating" &&
    showLifecycle(after.lifecycle, style) === "ready";
  return isReady ? [{ type: "session/ready" }] : [];
}

function fieldActions(before: SessionState, after: SessionState): readonly WireAction[] {
  const { title, isRead, isArchived, activity } = after;
  const actions: WireAction[] = [];
  if (title !== before.title) actions.push({ type: "session/titleChanged", title });
  if (isRead !== before.isRead) actions.push({ type: "session/isReadChanged", isRead });
  if (isArchived !== before.isArchived) actions.push({ type: "session/isArchivedChanged", isArchived });
  if (activity !== before.activity) actions.push({ type: "session/activityChanged", activity });
  return actions;
}

function directoryActions(before: SessionState, after: SessionState): readonly WireAction[] {
  const from = before.workingDirectories;
  const to = after.workingDirectories;
  if (from === to) return [];
  const removed = from.filter((directory) => !to.includes(directory));
  const added = to.filter((directory) => !from.includes(directory));
  return [
    ...removed.map((directory) => ({ type: "session/workingDirectoryRemoved", directory })),
    ...added.map((directory) => ({ type: "session/workingDirectorySet", directory })),
  ];
}

function chatActions(before: SessionState, after: SessionState): readonly WireAction[] {
  const actions: WireAction[] = [];
  if (before.chats !== after.chats) {
    for (const { resource } of before.chats) {
      if (!after.chats.some((chat) => chat.resource === resource)) {
        actions.push({ type: "session/chatRemoved", chat: resource });
      }
    }
    for (const chat of after.chats) {
      actions.push(
        ...chatDifference(
          before.chats.find(({ resource }) => resource === chat.resource),
          chat,
        ),
      );
    }
  }
  if (before.defaultChat !== after.defaultChat) {
    actions.push({ type: "session/defaultChatChanged", defaultChat: after.defaultChat });
  }
  return actions;
}

/** A changed chat is sent by its changes; as a whole if a field went away. */
function chatDifference(before: ChatSummary | undefined, after: ChatSummary): readonly WireAction[] {
  if (before === after) return [];
  const summary = showChatSummary(after);
  const hasLostActivity = before?.activity !== undefined && after.activity === undefined;
  if (!before || hasLostActivity) return [{ type: "session/chatAdded", summary }];
  const changes = changedFields(showChatSummary(before), summary);
  return changes ? [{ type: "session/chatUpdated", chat: after.resource, changes }] : [];
}

function inputNeededActions(
  before: SessionState,
  after: SessionState,
  style: ChatStyle,
): readonly WireAction[] {
  if (before.inputNeeded === after.inputNeeded) return [];
  const removed = before.inputNeeded.filter(({ id }) => !after.inputNeeded.some((one) => one.id === id));
  const changed = after.inputNeeded.filter((request) => !before.inputNeeded.includes(request));
  return [
    ...removed.map(({ id }) => ({ type: "session/inputNeededRemoved", id })),
    ...changed.map((request) => ({
      type: "session/inputNeededSet",
      request: showInputNeeded(request, style),
    })),
  ];
}

function clientActions(before: SessionState, after: SessionState): readonly WireAction[] {
  const from = before.activeClients;
  const to = after.activeClients;
  if (from === to) return [];
  return [
    ...from
      .filter(({ clientId }) => !to.some((client) => client.clientId === clientId))
      .map(({ clientId }) => ({ type: "session/activeClientRemoved", clientId })),
    ...to
      .filter((client) => !from.includes(client))
      .map((client) => ({ type: "session/activeClientSet", activeClient: showClient(client) })),
  ];
}

export function rootStyle(style: VersionStyle): RootStyle<WireSessionSummary, WireTerminalInfo> {
  return {
    showSummary: (summary) => showSummary(summary, style),
    showTerminalInfo: (info) => showTerminalInfo(info, style.terminal),
  };
}

function showSummary(summary: SessionSummary, style: VersionStyle): WireSessionSummary {
  const { resource, provider, title, activity, createdAt, lastActivityAt, workingDirectories, phase } =
    summary;
  return {
    resource,
    provider,
    title,
    status: sessionStatus(phase, summary),
    activity,
    ...showFolders(workingDirectories, style),
    createdAt,
    modifiedAt: lastActivityAt,
    changes: summary.changes,
    annotations: showAnnotationCounts(resource, summary.annotationCounts),
    _meta: summaryMeta(summary),
  };
}
