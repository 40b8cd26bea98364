// Makes an ACP prompt out of a message and its attachments, as far as the agent can take them.
import { type ChatRequest, HostError } from "@holdfast/protocol";
import type { AcpInitializeResult } from "../agent/acp.ts";

/** The content blocks of a prompt; an attachment that the agent cannot take is an error that names it. */
export function buildPrompt(
  { message, attachments = [] }: ChatRequest,
  { agentCapabilities }: AcpInitializeResult,
): object[] {
  const accepts = agentCapabilities?.promptCapabilities ?? {};
  const blocks: object[] = message === "" ? [] : [{ type: "text", text: message }];
  for (const [index, { contentString, mime }] of attachments.entries()) {
    const data = contentString.slice(contentString.indexOf(",") + 1);
    if (mime.startsWith("image/") && accepts.image === true) {
      blocks.push({ type: "image", data, mimeType: mime });
    } else if (mime.startsWith("audio/") && accepts.audio === true) {
      blocks.push({ type: "audio", data, mimeType: mime });
    } else if (accepts.embeddedContext === true) {
      blocks.push({
        type: "resource",
        resource: { uri: `attachment:///${index}`, blob: data, mimeType: mime },
      });
    } else {
      throw new HostError(
        "ACP_ATTACHMENT_NOT_SUPPORTED",
        `This agent does not take attachments of type ${mime}. Leave attachment ${index} out, or use another agent.`,
      );
    }
  }
  return blocks;
}
