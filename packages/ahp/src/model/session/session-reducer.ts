// The reducer of a session's channel.
import type { ChatSummary } from "../chat/chat.ts";
import { applyChanges, ignoreUnknown, patch, update, upsert, without } from "../immutable.ts";
import type { Timestamp } from "../json.ts";
import type {
  SessionAction,
  SessionChatAction,
  SessionDetailAction,
  SessionLifecycle,
  SessionLifecycleAction,
  SessionSettingAction,
  SessionState,
} from "./session.ts";
import { chooseValues } from "./settings.ts";

/** How many notices outside of turns a session keeps; the log has them all. */
export const KEPT_NOTICES = 32;

/** The session after an action; the same object when the action does not fit it (M2). */
export function reduceSession(session: SessionState, action: SessionAction): SessionState {
  switch (action.type) {
    case "session/ready":
    case "session/creationFailed":
    case "session/stale":
    case "session/resuming":
    case "session/contextLost":
    case "session/closed":
    case "session/reopened":
      return reduceLifecycle(session, action);
    case "session/chatAdded":
    case "session/chatUpdated":
    case "session/chatRemoved":
    case "session/defaultChatChanged":
    case "session/inputNeededSet":
    case "session/inputNeededRemoved":
      return reduceChats(session, action);
    case "session/runtimeOptionsChanged":
    case "session/limitsChanged":
    case "session/commandsChanged":
    case "session/modesChanged":
    case "session/modeChanged":
    case "session/configOptionsChanged":
    case "session/configChanged":
      return reduceSettings(session, action);
    default:
      return reduceDetail(session, action);
  }
}

/** A failed session stays so, a closed one until it is reopened; the others follow the agent's process (M27). */
function reduceLifecycle(session: SessionState, action: SessionLifecycleAction): SessionState {
  const { status } = session.lifecycle;
  if ((status === "closed") !== (action.type === "session/reopened")) return session;
  if (status === "failed" && action.type !== "session/closed") return session;
  switch (action.type) {
    case "session/ready": {
      const { at, backendId, backendCwd, agent } = action;
      return patch(session, {
        lifecycle: becomeReady(session.lifecycle),
        lastActivityAt: later(session.lastActivityAt, at),
        backendId: backendId ?? session.backendId,
        backendCwd: backendCwd ?? session.backendCwd,
        agent: agent ?? session.agent,
      });
    }
    case "session/creationFailed":
      if (status !== "creating") return session;
      return { ...withoutAgent(session, { status: "failed", error: action.error }), lastError: action.error };
    case "session/stale": {
      if (status === "creating" || status === "stale") return session;
      const { at, cause, error = session.lastError } = action;
      return { ...withoutAgent(session, { status: "stale", since: at, cause }), lastError: error };
    }
    case "session/resuming":
      return status === "stale" ? { ...session, lifecycle: { status: "resuming" } } : session;
    case "session/contextLost":
      return { ...session, contextLoss: { at: action.at, reason: action.reason } };
    case "session/closed": {
      const { at, by, reason } = action;
      return withoutAgent(session, { status: "closed", closedAt: at, by, reason });
    }
    case "session/reopened":
      // Without a session of the agent there is nothing to continue.
      if (session.backendId === undefined) return session;
      return {
        ...session,
        lifecycle: { status: "stale", since: action.at, cause: "reopened" },
        lastActivityAt: later(session.lastActivityAt, action.at),
      };
  }
}

function becomeReady(lifecycle: SessionLifecycle): SessionLifecycle {
  return lifecycle.status === "ready" ? lifecycle : { status: "ready" };
}

/** Without a process nobody waits for an answer any more (M28). */
function withoutAgent(session: SessionState, lifecycle: SessionLifecycle): SessionState {
  return { ...session, lifecycle, inputNeeded: [], activity: undefined };
}

function reduceChats(session: SessionState, action: SessionChatAction): SessionState {
  switch (action.type) {
    case "session/chatAdded": {
      const chats = upsert(session.chats, action.chat, (chat) => chat.resource === action.chat.resource);
      return { ...session, chats, lastActivityAt: later(session.lastActivityAt, action.chat.modifiedAt) };
    }
    case "session/chatUpdated": {
      const { changes } = action;
      const change = (chat: ChatSummary): ChatSummary => applyChanges(chat, changes);
      const chats = update(session.chats, (chat) => chat.resource === action.chat, change);
      if (chats === session.chats) return session;
      return { ...session, chats, lastActivityAt: later(session.lastActivityAt, changes.modifiedAt) };
    }
    case "session/chatRemoved":
      return patch(session, {
        chats: without(session.chats, (chat) => chat.resource === action.chat),
        defaultChat: session.defaultChat === action.chat ? undefined : session.defaultChat,
        inputNeeded: without(session.inputNeeded, (request) => request.chat === action.chat),
      });
    case "session/defaultChatChanged":
      return patch(session, { defaultChat: action.defaultChat });
    case "session/inputNeededSet":
      return {
        ...session,
        inputNeeded: upsert(
          session.inputNeeded,
          action.request,
          (request) => request.id === action.request.id,
        ),
      };
    case "session/inputNeededRemoved":
      return patch(session, {
        inputNeeded: without(session.inputNeeded, (request) => request.id === action.id),
      });
  }
}

function reduceSettings(session: SessionState, action: SessionSettingAction): SessionState {
  switch (action.type) {
    case "session/runtimeOptionsChanged":
      return patch(session, { runtimeOptions: applyChanges(session.runtimeOptions, action.changes) });
    case "session/limitsChanged":
      return patch(session, { limits: action.limits });
    case "session/commandsChanged":
      return patch(session, { commands: action.commands });
    case "session/modesChanged":
      return patch(session, { modes: action.modes });
    case "session/modeChanged": {
      const { modes } = session;
      if (!modes?.available.some((mode) => mode.id === action.modeId)) return session;
      return patch(session, { modes: patch(modes, { currentModeId: action.modeId }) });
    }
    case "session/configOptionsChanged":
      return patch(session, { configOptions: action.configOptions });
    case "session/configChanged":
      return patch(session, { configOptions: chooseValues(session.configOptions, action.config) });
  }
}

function reduceDetail(session: SessionState, action: SessionDetailAction): SessionState {
  switch (action.type) {
    case "session/titleChanged":
      return patch(session, { title: action.title });
    case "session/labelChanged":
      return patch(session, { label: action.label });
    case "session/activityChanged":
      return patch(session, { activity: action.activity });
    case "session/isolationChanged":
      return patch(session, { isolation: action.isolation });
    case "session/isReadChanged":
      return patch(session, { isRead: action.isRead });
    case "session/isArchivedChanged":
      return patch(session, { isArchived: action.isArchived });
    case "session/workingDirectoriesChanged":
      return patch(session, { workingDirectories: action.workingDirectories });
    case "session/activeClientSet":
      return {
        ...session,
        activeClients: upsert(
          session.activeClients,
          action.client,
          (client) => client.clientId === action.client.clientId,
        ),
      };
    case "session/activeClientRemoved":
      return patch(session, {
        activeClients: without(session.activeClients, (client) => client.clientId === action.clientId),
      });
    case "session/noticeAdded":
      return { ...session, notices: [...session.notices, action.notice].slice(-KEPT_NOTICES) };
    case "session/errorReported":
      return patch(session, { lastError: action.error });
    case "session/changesChanged":
      return patch(session, { changes: action.changes });
    case "session/reviewedFilesChanged":
      return patch(session, { reviewedFiles: action.files });
    case "session/annotationSet": {
      const { annotation } = action;
      return {
        ...session,
        annotations: upsert(session.annotations ?? [], annotation, ({ id }) => id === annotation.id),
      };
    }
    case "session/annotationRemoved": {
      const { annotations } = session;
      if (annotations === undefined) return session;
      return patch(session, { annotations: without(annotations, ({ id }) => id === action.id) });
    }
    case "session/permissionRuleAdded": {
      const { permissionRules = [] } = session;
      if (permissionRules.some(({ id }) => id === action.rule.id)) return session;
      return { ...session, permissionRules: [...permissionRules, action.rule] };
    }
    case "session/permissionRuleRemoved": {
      const { permissionRules } = session;
      if (permissionRules === undefined) return session;
      return patch(session, { permissionRules: without(permissionRules, ({ id }) => id === action.id) });
    }
    default:
      return ignoreUnknown(session, action);
  }
}

function later(one: Timestamp, other: Timestamp | undefined): Timestamp {
  return other !== undefined && other > one ? other : one;
}
