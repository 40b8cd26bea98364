// The reference reducer of AHP for messages that wait.
import {
  fieldsOf,
  listOf,
  type ReferenceAction,
  type ReferenceVersion,
  type WireFields,
} from "./reference.ts";

/** A chat after an action on what waits; the same object for an action that nobody knows. */
export function reducePending(
  chat: WireFields,
  action: ReferenceAction,
  { messageField }: ReferenceVersion,
): WireFields {
  const queued = listOf(chat["queuedMessages"]);
  const isSteering = action["kind"] === "steering";
  switch (action.type) {
    case "pendingMessageSet": {
      const entry = { id: action["id"], [messageField]: action[messageField] };
      if (isSteering) return { ...chat, steeringMessage: entry };
      const index = queued.findIndex(({ id }) => id === entry.id);
      return { ...chat, queuedMessages: index < 0 ? [...queued, entry] : queued.with(index, entry) };
    }
    case "pendingMessageRemoved": {
      if (isSteering) {
        const isMeant = fieldsOf(chat["steeringMessage"])["id"] === action["id"];
        return isMeant ? { ...chat, steeringMessage: undefined } : chat;
      }
      const left = queued.filter(({ id }) => id !== action["id"]);
      return { ...chat, queuedMessages: left.length > 0 ? left : undefined };
    }
    case "queuedMessagesReordered": {
      if (queued.length === 0) return chat;
      const named = new Set(action["order"] as readonly unknown[]);
      const first = [...named].flatMap((id) => queued.find((message) => message["id"] === id) ?? []);
      return { ...chat, queuedMessages: [...first, ...queued.filter(({ id }) => !named.has(id))] };
    }
    case "draftChanged":
      return { ...chat, draft: action["draft"] };
    default:
      return chat;
  }
}
