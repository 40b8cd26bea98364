// Sessions in AHP 0.1: a session and its default chat are one channel.
import { chatPhase, newChatState, type ChatState } from "../../model/chat/chat.ts";
import type { SessionSummary } from "../../model/session/session-summary.ts";
import type { SessionLifecycle, SessionState } from "../../model/session/session.ts";
import { defaultChatUri } from "../../model/uri.ts";
import { showConversation, type ChatStyle } from "../ahp/chat.ts";
import { configActions, configEcho, showClient, showConfig, type WireConfig } from "../ahp/session.ts";
import { hasNewMeta, sessionMeta } from "../ahp/meta.ts";
import type { RootStyle } from "../ahp/root.ts";
import { chatStatus, sessionStatus } from "../ahp/status.ts";
import type { WireTerminalInfo } from "../ahp/terminal-state.ts";
import { showActivity, showError } from "../ahp/turn.ts";
import type { WireConversation, WireError, WireMeta } from "../ahp/wire-chat.ts";
import { stepOf, type WireAction, type WireStep } from "../ahp/wire-action.ts";
import type { StepOf } from "../dialect.ts";
import { showSeedTerminalInfo } from "./terminal.ts";
import { showSeedUri } from "./uri.ts";

/** A session in a list and in its own state; times are milliseconds since 1970. */
interface SeedSessionSummary {
  readonly resource: string;
  readonly provider: string;
  readonly title: string;
  readonly status: number;
  readonly activity?: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly model?: { readonly id: string };
  readonly workingDirectory?: string;
}

interface SeedSessionState extends WireConversation {
  readonly summary: SeedSessionSummary;
  readonly lifecycle: "creating" | "ready" | "creationFailed";
  readonly creationError?: WireError;
  readonly activeClient?: object | undefined;
  readonly config?: WireConfig;
  readonly _meta?: WireMeta;
}

export const seedChatStyle: ChatStyle = {
  messageField: "userMessage",
  hasTimes: false,
  failure: "field",
  inputRequests: "list",
  contributor: "toolClientId",
  hasTerminalResults: false,
  hasTurnResume: false,
  hasTurnsLoaded: false,
  hasDraft: false,
  hasIsRead: true,
  hasIsArchived: false,
  hasBackgroundWork: false,
  showUri: showSeedUri,
};

/**
 * A session's state. Activity and read status come from the chat; the title, and whether it is archived,
 * from the session: so each action of either changes only its own fields (E5).
 */
export function showSeedSession(session: SessionState, chat: ChatState | undefined): SeedSessionState {
  const { resource, provider, title, isArchived, lifecycle, runtimeOptions } = session;
  const talk = chat ?? emptyChat(session);
  return {
    summary: {
      resource,
      provider,
      title,
      status: chatStatus(chatPhase(talk), { isRead: talk.isRead, isArchived }),
      activity: showActivity(talk),
      createdAt: Date.parse(session.createdAt),
      modifiedAt: Date.parse(session.lastActivityAt),
      model: runtimeOptions.model === undefined ? undefined : { id: runtimeOptions.model },
      workingDirectory: session.workingDirectories[0],
    },
    lifecycle: showLifecycle(lifecycle),
    creationError: lifecycle.status === "failed" ? showError(lifecycle.error) : undefined,
    activeClient: session.activeClients[0] && showClient(session.activeClients[0]),
    config: showConfig(session),
    _meta: sessionMeta(session),
    ...showConversation(talk, seedChatStyle),
  };
}

export function stepSeedSession(step: StepOf<"session">): WireStep {
  const { before, after } = step;
  const actions: WireAction[] = [...configEcho(step)];
  const from = showLifecycle(before.lifecycle);
  const to = showLifecycle(after.lifecycle);
  if (after.lifecycle.status === "failed" && from !== to) {
    actions.push({ type: "session/creationFailed", error: showError(after.lifecycle.error) });
  } else if (from === "creating" && to === "ready") {
    actions.push({ type: "session/ready" });
  }
  const { title, isArchived, runtimeOptions } = after;
  if (title !== before.title) actions.push({ type: "session/titleChanged", title });
  if (isArchived !== before.isArchived) actions.push({ type: "session/isArchivedChanged", isArchived });
  if (runtimeOptions.model !== undefined && runtimeOptions.model !== before.runtimeOptions.model) {
    actions.push({ type: "session/modelChanged", model: { id: runtimeOptions.model } });
  }
  const [activeClient] = after.activeClients;
  if (activeClient !== before.activeClients[0]) {
    actions.push({
      type: "session/activeClientChanged",
      activeClient: activeClient ? showClient(activeClient) : null,
    });
  }
  actions.push(...configActions(before, after));
  if (hasNewMeta(before, after)) actions.push({ type: "session/metaChanged", _meta: sessionMeta(after) });
  return stepOf(actions);
}

function emptyChat({ resource, title, createdAt }: SessionState): ChatState {
  return newChatState({ resource: defaultChatUri(resource), title, at: createdAt });
}

function showLifecycle({ status }: SessionLifecycle): SeedSessionState["lifecycle"] {
  if (status === "failed") return "creationFailed";
  return status === "creating" ? status : "ready";
}

export const seedRootStyle: RootStyle<SeedSessionSummary, WireTerminalInfo> = {
  showSummary: showSeedSummary,
  showTerminalInfo: showSeedTerminalInfo,
};

function showSeedSummary(summary: SessionSummary): SeedSessionSummary {
  const { resource, provider, title, activity, createdAt, lastActivityAt, workingDirectories, phase } =
    summary;
  return {
    resource,
    provider,
    title,
    status: sessionStatus(phase, summary),
    activity,
    createdAt: Date.parse(createdAt),
    modifiedAt: Date.parse(lastActivityAt),
    workingDirectory: workingDirectories[0],
  };
}
