// Content in ACP's shapes: messages, parts of an answer, and what tool calls show; and prompts read back.
import type { Attachment, FileVersion, Message, ToolContent, WholePart } from "@holdfast/ahp";
import { LIMITS } from "@holdfast/protocol";
import { invalidParams, membersOf, readText } from "./params.ts";

/** A content block of ACP. */
export type ContentBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** A message as the blocks that another client would have sent. */
export function messageBlocks({ text, attachments = [] }: Message): ContentBlock[] {
  return [...(text === "" ? [] : [textBlock(text)]), ...attachments.map(attachmentBlock)];
}

function attachmentBlock(attachment: Attachment): ContentBlock {
  switch (attachment.type) {
    case "simple":
      return textBlock(attachment.modelRepresentation ?? attachment.label);
    case "embeddedResource":
      return embeddedBlock(attachment.data, attachment.contentType, `attachment:///${attachment.label}`);
    case "resource":
      return linkBlock(attachment.uri, attachment.label, attachment.contentType, attachment.sizeBytes);
  }
}

/** A part of an answer that is whole when it appears. */
export function partBlock(part: WholePart): ContentBlock {
  if (part.kind === "systemNotification") {
    const { title, description } = part.notice;
    return textBlock(description === undefined ? title : `${title}\n${description}`);
  }
  const { uri, contentType, name, sizeBytes } = part;
  const [, mimeType = "", data] = /^data:([^;,]*);base64,(.*)$/s.exec(uri) ?? [];
  if (data === undefined) return linkBlock(uri, name ?? uri, contentType, sizeBytes);
  return embeddedBlock(data, contentType ?? mimeType, name ?? "attachment:///0");
}

/** Content of a tool call, except terminals. */
export function toolContentBlock(content: Exclude<ToolContent, { type: "terminal" }>): object {
  switch (content.type) {
    case "text":
      return { type: "content", content: textBlock(content.text) };
    case "embeddedResource":
      return {
        type: "content",
        content: embeddedBlock(content.data, content.contentType, "attachment:///0"),
      };
    case "resource":
      return {
        type: "content",
        content: linkBlock(content.uri, content.uri, content.contentType, content.sizeBytes),
      };
    case "fileEdit":
      return diffBlock(content.path, content.before, content.after);
    case "raw":
      return content.value;
  }
}

/** A version of a file that is too long to be part of the state is named by its URI. */
function diffBlock(path: string, before: FileVersion | undefined, after: FileVersion | undefined): object {
  const own = {
    ...(before?.kind === "ref" && { oldUri: before.uri }),
    ...(after?.kind === "ref" && { newUri: after.uri }),
    ...(after === undefined && { deleted: true }),
  };
  return {
    type: "diff",
    path,
    oldText: before?.kind === "text" ? before.text : null,
    newText: after?.kind === "text" ? after.text : "",
    ...(Object.keys(own).length > 0 && { _meta: { holdfast: own } }),
  };
}

function linkBlock(uri: string, name: string, mimeType?: string, size?: number): ContentBlock {
  return {
    type: "resource_link",
    uri,
    name,
    ...(mimeType !== undefined && { mimeType }),
    ...(size !== undefined && { size }),
  };
}

function embeddedBlock(data: string, mimeType: string, uri: string): ContentBlock {
  const [kind] = mimeType.split("/", 1);
  if (kind === "image" || kind === "audio") return { type: kind, data, mimeType };
  return { type: "resource", resource: { uri, blob: data, mimeType } };
}

/** A prompt as a message of the chat: its texts, and everything else as attachments. */
export function readPrompt(params: unknown): Message {
  const { prompt } = membersOf(params);
  if (!Array.isArray(prompt) || prompt.length === 0) throw invalidParams("prompt: expected content blocks");
  const blocks: unknown[] = prompt;
  const texts = blocks.filter((block) => membersOf(block)["type"] === "text");
  const others = blocks.filter((block) => membersOf(block)["type"] !== "text");
  if (others.length > LIMITS.attachments) {
    throw invalidParams(`prompt: at most ${LIMITS.attachments} blocks besides text`);
  }
  return {
    text: texts.map((block) => readBlockText(block)).join("\n"),
    origin: { kind: "user" },
    ...(others.length > 0 && { attachments: others.map(readAttachment) }),
  };
}

function readBlockText(block: unknown): string {
  const { text } = membersOf(block);
  if (typeof text !== "string") throw invalidParams("prompt: a text block has no text");
  return text;
}

function readAttachment(block: unknown): Attachment {
  const { type, uri, name, mimeType, resource } = membersOf(block);
  switch (type) {
    case "image":
    case "audio":
      return {
        type: "embeddedResource",
        label: typeof uri === "string" ? uri : type,
        data: readText(block, "data", Number.POSITIVE_INFINITY),
        contentType: readText(block, "mimeType"),
      };
    case "resource_link":
      return {
        type: "resource",
        uri: readText(block, "uri"),
        label: typeof name === "string" ? name : readText(block, "uri"),
        ...(typeof mimeType === "string" && { contentType: mimeType }),
      };
    case "resource":
      return readEmbedded(resource);
    default:
      throw invalidParams(`prompt: blocks of type ${JSON.stringify(type)} are not known`);
  }
}

/** Text is sent on as text, with its address: every agent takes that, and an unsaved buffer arrives as it is. */
function readEmbedded(resource: unknown): Attachment {
  const uri = readText(resource, "uri");
  const { text, blob, mimeType } = membersOf(resource);
  if (typeof text === "string") {
    return {
      type: "simple",
      label: uri,
      modelRepresentation: `<context ref="${uri}">\n${text}\n</context>`,
    };
  }
  if (typeof blob !== "string") throw invalidParams("prompt: a resource has neither text nor blob");
  const contentType = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  return { type: "embeddedResource", label: uri, data: blob, contentType };
}
