// Messages and tool results that clients write, in the model's terms.
import type { Attachment, Message } from "../../model/chat/message.ts";
import type { ToolContent, ToolFailure, ToolSuccess } from "../../model/chat/tool-call.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import {
  count,
  flag,
  jsonObject,
  jsonValue,
  list,
  object,
  optional,
  text,
  checkShape,
  type Shape,
} from "../../model/shape.ts";

interface WrittenMessage {
  readonly text: string;
  readonly origin?: { readonly kind: string };
  readonly attachments?: readonly JsonObject[];
  readonly model?: { readonly id: string; readonly config?: JsonObject };
}

/** The shape of a message that a client writes. */
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

interface WrittenResult {
  readonly success: boolean;
  readonly pastTenseMessage?: JsonValue;
  readonly structuredContent?: JsonObject;
  readonly error?: { readonly message: string; readonly code?: string };
  readonly content?: readonly JsonObject[];
}

/** The shape of what a client's own tool gave back. */
export const writtenResultShape: Shape<WrittenResult> = object<WrittenResult>({
  success: flag,
  pastTenseMessage: optional(jsonValue),
  structuredContent: optional(jsonObject),
  error: optional(object<{ message: string; code?: string }>({ message: text, code: optional(text) })),
  content: optional(list(jsonObject)),
});

/** What a client's own tool gave back, as the model has it. */
export function readResult(written: WrittenResult): ToolSuccess | ToolFailure {
  const { success, pastTenseMessage, structuredContent, error } = written;
  const told = {
    pastTenseMessage: pastTenseMessage === undefined ? undefined : plainText(pastTenseMessage),
    rawOutput: structuredContent,
  };
  if (success) return { success, ...told };
  return { success, ...told, error: error && { code: error.code ?? "tool_failed", message: error.message } };
}

/** What a client's own tool shows. */
export function readContents(contents: readonly JsonObject[]): readonly ToolContent[] {
  return contents.map((content): ToolContent => {
    const { type, text: said, data, contentType, uri } = content;
    if (type === "text" && typeof said === "string") return { type, text: said };
    if (type === "embeddedResource" && typeof data === "string" && typeof contentType === "string") {
      return { type, data, contentType };
    }
    if (type === "resource" && typeof uri === "string") return { type, uri };
    return { type: "raw", value: content };
  });
}

/** AHP writes some texts either plainly or as `{markdown}`. */
function plainText(value: JsonValue): string {
  if (typeof value === "string") return value;
  const markdown =
    typeof value === "object" && value !== null && "markdown" in value ? value["markdown"] : "";
  return typeof markdown === "string" ? markdown : "";
}
