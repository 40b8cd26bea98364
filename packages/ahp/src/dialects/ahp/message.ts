// Messages and questions as AHP writes them.
import type { InputRequest } from "../../model/chat/input-request.ts";
import type { Attachment, Message, PendingMessage } from "../../model/chat/message.ts";
import type { ChatStyle } from "./chat-style.ts";
import type {
  WireAttachment,
  WireChatMessage,
  WireInputRequest,
  WireMessageField,
  WirePendingMessage,
} from "./wire-chat.ts";

/** A message under the name that the version has for it. */
export function showMessageField(message: Message, { messageField }: ChatStyle): WireMessageField {
  if (messageField === "message") return { message: showMessage(message) };
  const { text, attachments } = message;
  return { userMessage: { text, attachments: attachments?.map(showAttachment) } };
}

/** A message as all but the seed write it. */
export function showMessage({ text, origin, attachments, model }: Message): WireChatMessage {
  return { text, origin, attachments: attachments?.map(showAttachment), model };
}

/** A message that waits. */
export function showPendingMessage({ id, message }: PendingMessage, style: ChatStyle): WirePendingMessage {
  return { id, ...showMessageField(message, style) };
}

/** A question to a person. */
export function showInputRequest({ id, message, url, questions, answers }: InputRequest): WireInputRequest {
  const hasAnswers = answers !== undefined && Object.keys(answers).length > 0;
  return { id, message, url, questions, answers: hasAnswers ? answers : undefined };
}

function showAttachment(attachment: Attachment): WireAttachment {
  if (attachment.type !== "resource") return attachment;
  const { type, label, uri, contentType, sizeBytes, selection } = attachment;
  return { type, label, uri, contentType, sizeHint: sizeBytes, selection };
}
