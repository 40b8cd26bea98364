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
import { withMembers } from "./wire-action.ts";
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
  const { text: said, attachments, members } = message;
  return { userMessage: { ...members, text: said, attachments: attachments?.map(showAttachment) } };
}

/** A message as all but the seed write it. */
export function showMessage(message: Message): WireChatMessage {
  const { text: said, origin, attachments, model, members } = message;
  return { ...members, text: said, origin, attachments: attachments?.map(showAttachment), model };
}

export function showPendingMessage({ id, message }: PendingMessage, style: ChatStyle): WirePendingMessage {
  return { id, ...showMessageField(message, style) };
}

export function showInputRequest({ id, message, url, questions, answers }: InputRequest): WireInputRequest {
  const hasAnswers = answers !== undefined && Object.keys(answers).length > 0;
  return { id, message, url, questions, answers: hasAnswers ? answers : undefined };
}

/** The members come last: of an attachment of a kind that the model does not have, they name the kind. */
function showAttachment(attachment: Attachment): WireAttachment {
  const { members, ...known } = attachment;
  if (known.type !== "resource") return { ...known, ...members };
  const { type, label, uri, contentType, sizeBytes, selection } = known;
  return { type, label, uri, contentType, sizeHint: sizeBytes, selection, ...members };
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

/** The agent's own choice, as a model; AHP reserves `x-` for names of implementations. */
export const DEFAULT_MODEL_ID = "x-holdfast-default";

/** A message as the model has it; without an origin, as in the seed, a person wrote it. */
export function readMessage(written: WrittenMessage): Message {
  const { text: said, origin, attachments, model, ...members } = written;
  return {
    text: said,
    origin: { kind: origin?.kind ?? "user" },
    ...(attachments && attachments.length > 0 && { attachments: attachments.map(readAttachment) }),
    ...(model && model.id !== DEFAULT_MODEL_ID && { model }),
    ...withMembers(members),
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
  if (!checked.ok) return { type: "simple", label: "attachment", ...withMembers(written) };
  const { type, label = "attachment", ...fields } = checked.value;
  const { data, contentType, uri } = fields;
  if (type === "embeddedResource" && data !== undefined && contentType !== undefined) {
    const { data: _data, contentType: _contentType, ...members } = fields;
    return { type, label, data, contentType, ...withMembers(members) };
  }
  if (type === "resource" && uri !== undefined) {
    const { uri: _uri, contentType: _contentType, sizeHint, selection, ...members } = fields;
    return { type, label, uri, contentType, sizeBytes: sizeHint, selection, ...withMembers(members) };
  }
  const { modelRepresentation, ...members } = fields;
  const isKnown = type === undefined || type === "simple";
  const kept = { ...(!isKnown && { type }), ...members };
  return { type: "simple", label, modelRepresentation, ...withMembers(kept) };
}
