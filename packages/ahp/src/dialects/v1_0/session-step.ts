// How AHP 1.0 is told what happened to a session: one of the model's actions may change several things that it tells apart.
import type { ChatSummary } from "../../model/chat/chat.ts";
import type { SessionState } from "../../model/session/session.ts";
import { changedFields } from "../ahp/changed-fields.ts";
import type { ChatStyle } from "../ahp/chat-style.ts";
import { configActions } from "../ahp/config-step.ts";
import { hasNewMeta, sessionMeta } from "../ahp/meta.ts";
import { showError } from "../ahp/turn.ts";
import { stepOf, type WireAction, type WireStep } from "../ahp/wire-step.ts";
import type { StepOf } from "../dialect.ts";
import { showChatSummary } from "./chat.ts";
import { showInputNeeded, showLifecycle } from "./session.ts";

/** The actions for one step: whatever shows and is another object than before is told. */
export function stepSession({ before, after }: StepOf<"session">, style: ChatStyle): WireStep {
  return stepOf([
    ...lifecycleActions(before, after),
    ...fieldActions(before, after),
    ...directoryActions(before, after),
    ...chatActions(before, after),
    ...inputNeededActions(before, after, style),
    ...clientActions(before, after),
    ...configActions(before, after),
    ...(hasNewMeta(before, after) ? [{ type: "session/metaChanged", _meta: sessionMeta(after) }] : []),
  ]);
}

function lifecycleActions(before: SessionState, after: SessionState): readonly WireAction[] {
  if (after.lifecycle === before.lifecycle) return [];
  if (after.lifecycle.status === "failed") {
    return [{ type: "session/creationFailed", error: showError(after.lifecycle.error) }];
  }
  const isReady =
    showLifecycle(before.lifecycle) === "creating" && showLifecycle(after.lifecycle) === "ready";
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

/** A changed chat is told by its changes; if one of them is that a field went away, it is told as a whole. */
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
      .map((activeClient) => ({ type: "session/activeClientSet", activeClient })),
  ];
}
