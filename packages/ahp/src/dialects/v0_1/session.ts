// Sessions in the seed: a session and its default chat are one channel.
import { chatPhase, newChatState, type ChatState } from "../../model/chat/chat.ts";
import type { SessionLifecycle, SessionState } from "../../model/session/session.ts";
import { defaultChatUri } from "../../model/uri.ts";
import { showActivity, showConversation } from "../ahp/chat-state.ts";
import type { ChatStyle } from "../ahp/chat-style.ts";
import { configActions } from "../ahp/config-step.ts";
import { showConfig } from "../ahp/config.ts";
import { hasNewMeta, sessionMeta } from "../ahp/meta.ts";
import { chatStatus } from "../ahp/status.ts";
import { showError } from "../ahp/turn.ts";
import { stepOf, type WireAction, type WireStep } from "../ahp/wire-step.ts";
import type { StepOf } from "../dialect.ts";
import { showSeedUri } from "./uri.ts";
import type { SeedSessionState } from "./wire.ts";

/** How the seed writes chats. */
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
 * A session's state. What goes on, and whether it was read, is the chat's; the title, and whether it is archived,
 * is the session's: so each action of either changes what is its own (E5).
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
    activeClient: session.activeClients[0],
    config: showConfig(session),
    _meta: sessionMeta(session),
    ...showConversation(talk, seedChatStyle),
  };
}

/** The actions for a step of the session's own channel. */
export function stepSeedSession({ before, after }: StepOf<"session">): WireStep {
  const actions: WireAction[] = [];
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
    actions.push({ type: "session/activeClientChanged", activeClient: activeClient ?? null });
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
