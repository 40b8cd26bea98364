// Sends a person's message: as a turn, or into the queue while one is running.
import { makeId, type Attachment, type ChatState, type Message } from "@holdfast/ahp";
import type { DispatchOutcome } from "@holdfast/ahp/client";
import type { ChannelStore } from "../host/channel-store.ts";
import { randomId } from "../host/client-id.ts";

export interface WrittenMessage {
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

export function startTurn(chat: ChannelStore<"chat">, written: WrittenMessage): Promise<DispatchOutcome> {
  return chat.dispatch({
    type: "chat/turnStarted",
    turnId: makeId("turn", randomId()),
    startedAt: new Date().toISOString(),
    message: messageOf(written),
  });
}

/** Queues a message behind the running turn. */
export function queueMessage(chat: ChannelStore<"chat">, written: WrittenMessage): Promise<DispatchOutcome> {
  return chat.dispatch({
    type: "chat/pendingMessageSet",
    kind: "queued",
    pending: { id: makeId("pending message", randomId()), message: messageOf(written) },
  });
}

export function stopTurn(
  chat: ChannelStore<"chat">,
  { activeTurn }: ChatState,
  by: string,
): Promise<DispatchOutcome> {
  if (activeTurn === undefined) return Promise.resolve({ status: "rejected", reason: "No turn is running." });
  const now = new Date();
  return chat.dispatch({
    type: "chat/turnCancelled",
    turnId: activeTurn.id,
    endedAt: now.toISOString(),
    durationMs: Math.max(0, now.getTime() - Date.parse(activeTurn.startedAt)),
    by: { kind: "client", clientId: makeId("client", by) },
  });
}

function messageOf({ text, attachments = [] }: WrittenMessage): Message {
  return { text, origin: { kind: "user" }, ...(attachments.length > 0 && { attachments }) };
}
