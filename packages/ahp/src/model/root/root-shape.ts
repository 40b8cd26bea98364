// The shapes of the root's state and actions.
import { sessionPhaseShape, sessionSummaryShape } from "../session/session-shape.ts";
import {
  count,
  flag,
  id,
  jsonObject,
  list,
  nullable,
  object,
  oneOf,
  optional,
  taggedUnion,
  text,
} from "../shape.ts";
import { terminalInfoShape } from "../terminal/terminal-shape.ts";
import type { AgentInfo, AgentInstallation, ModelInfo } from "./agent.ts";
import type { RootAction, SessionSummaryChanges } from "./root-actions.ts";
import type { RootConfig, RootState } from "./root.ts";

const installationShape = taggedUnion<AgentInstallation, "status">("status", {
  installed: { version: optional(text), authReady: flag },
  "not-installed": {},
});

const modelShape = object<ModelInfo>({
  id: text,
  name: text,
  maxContextWindow: optional(count),
  supportsVision: optional(flag),
});

const agentShape = object<AgentInfo>({
  provider: id("agent"),
  displayName: text,
  description: text,
  handles: list(text),
  installation: installationShape,
  launch: oneOf("acp", "terminal-only", "unsupported"),
  forwardableProviders: list(text),
  models: list(modelShape),
  modelSource: optional(oneOf("provider_api", "fallback")),
  modelError: optional(text),
});

const summaryChangesShape = object<SessionSummaryChanges>({
  label: optional(nullable(text)),
  title: optional(text),
  lastActivityAt: optional(text),
  isRead: optional(flag),
  isArchived: optional(flag),
  activity: optional(nullable(text)),
  workingDirectories: optional(list(text)),
  phase: optional(sessionPhaseShape),
  inputNeededCount: optional(count),
});

/** The shape of the root's state. */
export const rootStateShape = object<RootState>({
  agents: list(agentShape),
  sessions: list(sessionSummaryShape),
  terminals: list(terminalInfoShape),
  config: optional(object<RootConfig>({ schema: jsonObject, values: jsonObject })),
});

/** The shape of the root's actions. */
export const rootActionShape = taggedUnion<RootAction, "type">("type", {
  "root/agentsChanged": { agents: list(agentShape) },
  "root/sessionAdded": { summary: sessionSummaryShape },
  "root/sessionSummaryChanged": { session: id("session URI"), changes: summaryChangesShape },
  "root/sessionRemoved": { session: id("session URI") },
  "root/terminalsChanged": { terminals: list(terminalInfoShape) },
  "root/configChanged": { config: jsonObject, replace: optional(flag) },
});
