// Messages as AHP clients and the host write them, and questions to a person.
import type { InputRequest } from "../../model/chat/input-request.ts";
import type { Attachment, Message, PendingMessage } from "../../model/chat/message.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import {
  checkShape,
  count,
  jsonObject,
  jsonValue,
  list,
  object,
  optional,
  text,
  type Shape,
} from "../../model/shape.ts";
import type { ChatStyle } from "./chat.ts";
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
  const attachments = message.attachments?.map(showAttachment);
  return { userMessage: { text: message.text, attachments } };
}

/** A message as all but the seed write it. */
export function showMessage(message: Message): WireChatMessage {
  const { origin, model } = message;
  return { text: message.text, origin, attachments: message.attachments?.map(showAttachment), model };
}

export function showPendingMessage({ id, message }: PendingMessage, style: ChatStyle): WirePendingMessage {
  return { id, ...showMessageField(message, style) };
}

export function showInputRequest({ id, message, url, questions, answers }: InputRequest): WireInputRequest {
  const hasAnswers = answers !== undefined && Object.keys(answers).length > 0;
  return { id, message, url, questions, answers: hasAnswers ? answers : undefined };
}

function showAttachment(attachment: Attachment): WireAttachment {
  if (attachment.type !== "resource") return attachment;
  const { type, label, uri, contentType, sizeBytes, selection } = attachment;
  return { type, label, uri, contentType, sizeHint: sizeBytes, selection };
}

interface WrittenMessage {
  readonly text: string;
  readonly origin?: { readonly kind: string };
  readonly attachments?: readonly JsonObject[];
  readonly model?: { readonly id: string; readonly config?: JsonObject };
}

export const writtenMessageShape: Shape<WrittenMessage> = object<WrittenMessage>({
  text,
  origin: optional(object({ kind: text })),
  attachments: optional(list(jsonObject)),
  model: optional(object<{ id: string; config?: JsonObject }>({ id: text, config: optional(jsonObject) })),
});

/** A message as the model has it; without an origin, as in the seed, a person wrote it. */
export function readMessage({ text: said, origin, attachments, model }: WrittenMessage): Message {
  return {
    text: said,
    origin: { kind: origin?.kind ?? "user" },
    ...(attachments && attachments.length > 0 && { attachments: attachments.map(readAttachment) }),
    ...(model && { model }),
  };
}

interface WrittenAttachment {
  readonly type?: string;
  readonly label?: string;
  readonly modelRepresentation?: string;
  readonly data?: string;
  readonly uri?: string;
  readonly contentType?: string;
  readonly sizeHint?: number;
  readonly selection?: JsonValue;
}

const writtenAttachmentShape = object<WrittenAttachment>({
  type: optional(text),
  label: optional(text),
  modelRepresentation: optional(text),
  data: optional(text),
  uri: optional(text),
  contentType: optional(text),
  sizeHint: optional(count),
  selection: optional(jsonValue),
});

/** An attachment of a kind that the model does not have keeps its label, so that a person sees that it was there. */
function readAttachment(written: JsonObject): Attachment {
  const checked = checkShape(writtenAttachmentShape, written);
  if (!checked.ok) return { type: "simple", label: "attachment" };
  const {
    type,
    label = "attachment",
    modelRepresentation,
    data,
    uri,
    contentType,
    sizeHint,
    selection,
  } = checked.value;
  if (type === "embeddedResource" && data !== undefined && contentType !== undefined) {
    return { type, label, data, contentType };
  }
  if (type === "resource" && uri !== undefined) {
    return { type, label, uri, contentType, sizeBytes: sizeHint, selection };
  }
  return { type: "simple", label, modelRepresentation };
}
