// How messages wait for their turn.
import { patch, upsert, without } from "../immutable.ts";
import type { ChatState } from "./chat.ts";
import type { PendingMessageAction } from "./chat-actions.ts";
import type { PendingMessage } from "./message.ts";

type ActionOf<Type extends PendingMessageAction["type"]> = Extract<PendingMessageAction, { type: Type }>;

/** Adds a waiting message, or changes it where it stands. */
export function setPendingMessage(
  chat: ChatState,
  { kind, pending }: ActionOf<"chat/pendingMessageSet">,
): ChatState {
  if (kind === "steering") return { ...chat, steeringMessage: pending };
  return {
    ...chat,
    queuedMessages: upsert(chat.queuedMessages, pending, (queued) => queued.id === pending.id),
  };
}

/** Takes a waiting message away. */
export function removePendingMessage(
  chat: ChatState,
  { kind, id }: ActionOf<"chat/pendingMessageRemoved">,
): ChatState {
  if (kind === "steering") {
    return chat.steeringMessage?.id === id ? { ...chat, steeringMessage: undefined } : chat;
  }
  return patch(chat, { queuedMessages: without(chat.queuedMessages, (queued) => queued.id === id) });
}

/** Puts the queue in another order and loses nobody (M19). */
export function reorderQueue(
  chat: ChatState,
  { order }: ActionOf<"chat/queuedMessagesReordered">,
): ChatState {
  const rest = new Map(chat.queuedMessages.map((queued) => [queued.id, queued]));
  const named: PendingMessage[] = [];
  for (const id of order) {
    const queued = rest.get(id);
    if (queued) named.push(queued);
    rest.delete(id);
  }
  const reordered = [...named, ...rest.values()];
  const isSame = reordered.every((queued, index) => queued === chat.queuedMessages[index]);
  return isSame ? chat : { ...chat, queuedMessages: reordered };
}
