// The shapes of messages and their attachments.
import { count, id, jsonObject, jsonValue, list, object, optional, taggedUnion, text } from "../shape.ts";
import type { Attachment, Message, ModelSelection, PendingMessage, RequestMark } from "./message.ts";

const attachmentShape = taggedUnion<Attachment, "type">("type", {
  simple: { label: text, modelRepresentation: optional(text) },
  embeddedResource: { label: text, data: text, contentType: text },
  resource: {
    label: text,
    uri: text,
    contentType: optional(text),
    sizeBytes: optional(count),
    selection: optional(jsonValue),
  },
});

/** The shape of a message. */
export const messageShape = object<Message>({
  text,
  origin: object({ kind: text }),
  attachments: optional(list(attachmentShape)),
  model: optional(object<ModelSelection>({ id: text, config: optional(jsonObject) })),
  request: optional(object<RequestMark>({ key: text, digest: text })),
});

/** The shape of a message that waits. */
export const pendingMessageShape = object<PendingMessage>({
  id: id("pending message"),
  message: messageShape,
});
