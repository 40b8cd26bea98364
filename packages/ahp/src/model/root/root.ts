// The root: the agents the host offers, and the sessions and terminals that are open.
import { annotationCountsShape } from "../session/annotation.ts";
import type { SessionUri } from "../ids.ts";
import { applyChanges, ignoreUnknown, patch, update, upsert, without, type Changes } from "../immutable.ts";
import type { JsonObject } from "../json.ts";
import { changeSummaryShape, sessionPhaseShape, sessionSummaryShape } from "../session/session-shape.ts";
import type { SessionSummary } from "../session/session-summary.ts";
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
import type { TerminalInfo } from "../terminal/terminal.ts";
import type { AgentInfo, AgentInstallation, ModelInfo } from "./agent.ts";

/** The state of the root channel. */
export interface RootState {
  readonly agents: readonly AgentInfo[];
  /** The sessions that are not closed, oldest first. */
  readonly sessions: readonly SessionSummary[];
  readonly terminals: readonly TerminalInfo[];
  /** Settings of the host that clients may see and change. */
  readonly config?: RootConfig;
}

/** Settings and the JSON Schema that describes them. */
export interface RootConfig {
  readonly schema: JsonObject;
  readonly values: JsonObject;
}

/** The state of a host that has just started. */
export function newRootState(config?: RootConfig): RootState {
  return { agents: [], sessions: [], terminals: [], config };
}

/** Changes of a session's summary. */
export type SessionSummaryChanges = Changes<
  Omit<SessionSummary, "resource" | "key" | "provider" | "owner" | "createdAt">
>;

/** Any action of the root channel. */
export type RootAction =
  /** The catalogue, as a whole. */
  | { readonly type: "root/agentsChanged"; readonly agents: readonly AgentInfo[] }
  | { readonly type: "root/sessionAdded"; readonly summary: SessionSummary }
  | {
      readonly type: "root/sessionSummaryChanged";
      readonly session: SessionUri;
      readonly changes: SessionSummaryChanges;
    }
  | { readonly type: "root/sessionRemoved"; readonly session: SessionUri }
  /** The list of terminals, as a whole. */
  | { readonly type: "root/terminalsChanged"; readonly terminals: readonly TerminalInfo[] }
  /** New values; with `replace` they are all there is. */
  | { readonly type: "root/configChanged"; readonly config: JsonObject; readonly replace?: boolean };

/** The root after an action; the same object when the action does not fit it (M2). */
export function reduceRoot(root: RootState, action: RootAction): RootState {
  switch (action.type) {
    case "root/agentsChanged":
      return patch(root, { agents: action.agents });
    case "root/sessionAdded":
      return {
        ...root,
        sessions: upsert(
          root.sessions,
          action.summary,
          (session) => session.resource === action.summary.resource,
        ),
      };
    case "root/sessionSummaryChanged": {
      const change = (session: SessionSummary): SessionSummary => applyChanges(session, action.changes);
      return patch(root, {
        sessions: update(root.sessions, (session) => session.resource === action.session, change),
      });
    }
    case "root/sessionRemoved":
      return patch(root, {
        sessions: without(root.sessions, (session) => session.resource === action.session),
      });
    case "root/terminalsChanged":
      return patch(root, { terminals: action.terminals });
    case "root/configChanged": {
      if (!root.config) return root;
      const values = action.replace ? action.config : { ...root.config.values, ...action.config };
      return { ...root, config: { ...root.config, values } };
    }
    default:
      return ignoreUnknown(root, action);
  }
}

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
  changes: optional(nullable(changeSummaryShape)),
  annotationCounts: optional(nullable(annotationCountsShape)),
});

export const rootStateShape = object<RootState>({
  agents: list(agentShape),
  sessions: list(sessionSummaryShape),
  terminals: list(terminalInfoShape),
  config: optional(object<RootConfig>({ schema: jsonObject, values: jsonObject })),
});

export const rootActionShape = taggedUnion<RootAction, "type">("type", {
  "root/agentsChanged": { agents: list(agentShape) },
  "root/sessionAdded": { summary: sessionSummaryShape },
  "root/sessionSummaryChanged": { session: id("session URI"), changes: summaryChangesShape },
  "root/sessionRemoved": { session: id("session URI") },
  "root/terminalsChanged": { terminals: list(terminalInfoShape) },
  "root/configChanged": { config: jsonObject, replace: optional(flag) },
});
