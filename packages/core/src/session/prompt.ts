// Makes an ACP prompt out of a message and its attachments, as far as the agent can take them.
import type { Attachment as DescribedAttachment, Message } from "@holdfast/ahp";
import { type Attachment, type ChatRequest, HostError } from "@holdfast/protocol";
import { type AcpInitializeResult, runsMessages } from "../agent/acp.ts";

type Accepts = NonNullable<NonNullable<AcpInitializeResult["agentCapabilities"]>["promptCapabilities"]>;

/** How much of a message's attachments is kept with it; of more, only what they were. */
const maxKeptCharacters = 256 * 1024;

/** The labels of the host. Those of attachments without data are all that is known of them, also in older states. */
const labelPattern = /^Attachment (\d+): (.+, \d+ bytes)$/;

const textTypes = /^(?:text\/|application\/(?:json|xml|yaml|toml|javascript)$|.+\+(?:json|xml)$)/;

/** The content blocks of a prompt; an attachment that the agent cannot take is an error that names it. */
export function buildPrompt(
  { message, attachments = [] }: ChatRequest,
  { agentCapabilities }: AcpInitializeResult,
): object[] {
  const accepts = agentCapabilities?.promptCapabilities ?? {};
  const text = message === "" ? [] : [{ type: "text", text: message }];
  return [...text, ...attachments.map((attachment, index) => buildBlock(attachment, index, accepts))];
}

/** The content blocks of a message of the chat; an attachment that was too large to be kept with it is an error. */
export function buildMessagePrompt(message: Message, info: AcpInitializeResult): object[] {
  requireStored(message);
  const { text, attachments = [] } = message;
  const accepts = info.agentCapabilities?.promptCapabilities ?? {};
  const blocks = attachments.flatMap((attachment, index) =>
    attachment.type === "simple"
      ? buildText(attachment.modelRepresentation, index, runsMessages(info))
      : buildAttachment(attachment, index, accepts),
  );
  return [...(text === "" ? [] : [{ type: "text", text }]), ...blocks];
}

/** Throws for an attachment of which only type and size are kept (N880). */
export function requireStored({ attachments = [] }: Message): void {
  for (const attachment of attachments) {
    if (attachment.type !== "simple" || attachment.modelRepresentation !== undefined) continue;
    const [, number, content] = labelPattern.exec(attachment.label) ?? [];
    if (number === undefined) continue;
    throw new HostError(
      "ACP_ATTACHMENT_NOT_STORED",
      `Attachment ${number} (${content}) is no longer stored. Attach it again.`,
      { details: { attachment: Number(number) - 1 } },
    );
  }
}

/** A text that nobody wrote as a command must not become one (N815). */
function buildText(text: string | undefined, index: number, isRun: boolean): object[] {
  if (text === undefined) return [];
  if (!isRun) return [{ type: "text", text }];
  return [{ type: "resource", resource: { uri: `attachment:///${index}`, mimeType: "text/plain", text } }];
}

function buildAttachment(
  attachment: Exclude<DescribedAttachment, { readonly type: "simple" }>,
  index: number,
  accepts: Accepts,
): object[] {
  switch (attachment.type) {
    case "resource": {
      const { uri, label: name, contentType: mimeType } = attachment;
      return [{ type: "resource_link", uri, name, ...(mimeType !== undefined && { mimeType }) }];
    }
    case "embeddedResource": {
      const { data, contentType: mime } = attachment;
      return [buildBlock({ mime, contentString: data }, index, accepts)];
    }
  }
}

/** The attachments of a message as its history shows them, with their data where that is not much; undefined if it has none. */
export function describeAttachments({ attachments = [] }: ChatRequest): DescribedAttachment[] | undefined {
  if (attachments.length === 0) return undefined;
  const total = attachments.reduce((sum, { contentString }) => sum + contentString.length, 0);
  return attachments.map((attachment, index) => {
    const data = readData(attachment);
    const sizeBytes = Buffer.byteLength(data, "base64");
    const label = `Attachment ${index + 1}: ${attachment.mime}, ${sizeBytes} bytes`;
    if (total > maxKeptCharacters) return { type: "simple", label };
    return { type: "embeddedResource", label, data, contentType: attachment.mime };
  });
}

function buildBlock(attachment: Attachment, index: number, accepts: Accepts): object {
  const { mime } = attachment;
  const data = readData(attachment);
  const [type = ""] = mime.toLowerCase().split(";");
  const isImage = type.startsWith("image/");
  const isAudio = type.startsWith("audio/");
  if (isImage && accepts.image === true) return { type: "image", data, mimeType: mime };
  if (isAudio && accepts.audio === true) return { type: "audio", data, mimeType: mime };
  if (!isImage && !isAudio && accepts.embeddedContext === true) {
    const uri = `attachment:///${index}`;
    const text = textTypes.test(type.trim()) ? decodeText(data) : undefined;
    const content = text === undefined ? { blob: data } : { text };
    return { type: "resource", resource: { uri, ...content, mimeType: mime } };
  }
  throw new HostError(
    "ACP_ATTACHMENT_NOT_SUPPORTED",
    `This agent does not support attachments of type ${mime}. Leave attachment ${index + 1} out, or use another agent.`,
    { details: { attachment: index, mime } },
  );
}

function readData({ contentString }: Attachment): string {
  return contentString.slice(contentString.indexOf(",") + 1);
}

/** Undefined for what only claims to be text. */
function decodeText(data: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(data, "base64"));
  } catch {
    // Not UTF-8: the agent gets the bytes as they are.
    return undefined;
  }
}
