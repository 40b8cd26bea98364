// A message to an agent, and a message that waits for its turn.
import type { PendingMessageId } from "../ids.ts";
import type { JsonObject, JsonValue, OpenEnum, Uri } from "../json.ts";
import { count, id, jsonObject, jsonValue, list, object, optional, taggedUnion, text } from "../shape.ts";

/** A message that starts a turn. */
export interface Message {
  readonly text: string;
  readonly origin: MessageOrigin;
  readonly attachments?: readonly Attachment[];
  /** The model asked for with this message; absent leaves it as it is. */
  readonly model?: ModelSelection;
  /** Under which name its sender would send it again. */
  readonly request?: RequestMark;
  /** Members that the model has no field for, as an AHP client wrote them. */
  readonly members?: JsonObject;
}

/** Distinguishes a message that is sent again from a new one. */
export interface RequestMark {
  /** The name that the sender gave it. */
  readonly key: string;
  /** A digest of all that was sent. */
  readonly digest: string;
}

/** Where a message comes from. */
export interface MessageOrigin {
  readonly kind: OpenEnum<"user" | "agent" | "tool" | "automation" | "systemNotification">;
}

/** A model and its settings. */
export interface ModelSelection {
  readonly id: string;
  readonly config?: JsonObject;
}

/** Something sent along with a message; `members` are those that the model has no field for, as a client wrote them. */
export type Attachment = { readonly members?: JsonObject } &
  /** A label with text that only the model sees. */
  (
    | { readonly type: "simple"; readonly label: string; readonly modelRepresentation?: string }
    /** Bytes in base64, such as a pasted picture. */
    | {
        readonly type: "embeddedResource";
        readonly label: string;
        readonly data: string;
        readonly contentType: string;
      }
    /** Something the agent can open itself. */
    | {
        readonly type: "resource";
        readonly label: string;
        readonly uri: Uri;
        readonly contentType?: string;
        readonly sizeBytes?: number;
        readonly selection?: JsonValue;
      }
  );

/** A message that waits until the agent can take it. */
export interface PendingMessage {
  readonly id: PendingMessageId;
  readonly message: Message;
}

const attachmentShape = taggedUnion<Attachment, "type">("type", {
  simple: { label: text, modelRepresentation: optional(text), members: optional(jsonObject) },
  embeddedResource: { label: text, data: text, contentType: text, members: optional(jsonObject) },
  resource: {
    members: optional(jsonObject),
    label: text,
    uri: text,
    contentType: optional(text),
    sizeBytes: optional(count),
    selection: optional(jsonValue),
  },
});

export const requestMarkShape = object<RequestMark>({ key: text, digest: text });

export const messageShape = object<Message>({
  text,
  origin: object({ kind: text }),
  attachments: optional(list(attachmentShape)),
  model: optional(object<ModelSelection>({ id: text, config: optional(jsonObject) })),
  request: optional(requestMarkShape),
  members: optional(jsonObject),
});

export const pendingMessageShape = object<PendingMessage>({
  id: id("pending message"),
  message: messageShape,
});
