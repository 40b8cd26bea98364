// Messages of MCP, as far as the server of client tools reads and writes them.
import { isJsonObject, type JsonObject, type JsonValue, type ToolContent } from "@holdfast/ahp";
import type { LentToolResult, OfferedTool } from "@holdfast/core";
import { isNestedDeeper } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";

/** The newest first, which is offered to a client that asks for none of them. */
export const MCP_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Less than an action may have that holds the arguments of a call. */
const maxLevels = 128;

export interface McpRequest {
  readonly kind: "request";
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
}

/** A message; a response, which this server never waits for, counts as a notification. */
export type McpMessage =
  | McpRequest
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "invalid"; readonly problem: string };

/** Reads one message; throws when it is not JSON. */
export function readMcpMessage(text: string): McpMessage {
  const message = parseJson(text);
  if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") {
    return { kind: "invalid", problem: "Send one JSON-RPC message; batches are not supported." };
  }
  if (isNestedDeeper(message, maxLevels)) {
    return { kind: "invalid", problem: `A message is nested at most ${maxLevels} levels deep.` };
  }
  const { id, method = "", params = {} } = message;
  if (typeof method !== "string" || !isJsonObject(params)) {
    return { kind: "invalid", problem: "method must be a string, and params an object." };
  }
  if (id === undefined || method === "") return { kind: "notification", method, params };
  if (typeof id === "string" || typeof id === "number") return { kind: "request", id, method, params };
  return { kind: "invalid", problem: "id must be a string or a number." };
}

export function mcpError(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

export function showTool({ name, title, description, inputSchema }: OfferedTool): object {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
  };
}

/** A failure that the agent's model reads, with its code for programs. */
export function showFailure(code: string, message: string): object {
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { error: { code, message } },
    isError: true,
  };
}

/** A client's result as MCP has it; content that MCP has no part for is shown as its JSON. */
export function showToolResult({ result, content }: LentToolResult): object {
  if (!result.success && result.error !== undefined) {
    return showFailure(result.error.code, result.error.message);
  }
  const { success, pastTenseMessage = "", rawOutput } = result;
  const parts = content.length > 0 ? content.map(showPart) : [{ type: "text", text: pastTenseMessage }];
  return {
    content: parts,
    isError: !success,
    ...(isJsonObject(rawOutput) && { structuredContent: rawOutput }),
  };
}

function showPart(part: ToolContent): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "embeddedResource":
      return part.contentType.startsWith("image/")
        ? { type: "image", data: part.data, mimeType: part.contentType }
        : { type: "text", text: Buffer.from(part.data, "base64").toString("utf8") };
    case "resource":
      return { type: "resource_link", uri: part.uri, name: part.uri };
    default:
      return { type: "text", text: JSON.stringify(part) };
  }
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new HostError("INVALID_JSON", undefined, { cause });
  }
}
