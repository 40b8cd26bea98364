// The MCP server of a session's lent tools: streamable HTTP without streams or sessions, admitted by the session's token.
import type { JsonValue, ToolContent } from "@holdfast/ahp";
import type { ClientTools, LentToolResult, SessionTools } from "@holdfast/core";
import { ErrorCode } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { Hono } from "hono";
import type { ServerEnv } from "./operation-routes.ts";
import { BodyReader } from "./request-body.ts";

const bodyBytes = 4 * 1024 * 1024;
/** The newest first, which is offered to a client that asks for none of them. */
const versions = ["2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** A message, as far as this server looks at it. */
interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params: Params;
}

type Params = Readonly<Record<string, JsonValue>>;

/** Mounted before credentials are asked for: an agent has no other than its session's token (E820). */
export function mountClientTools(
  app: Hono<ServerEnv>,
  lent: Pick<ClientTools, "find">,
  version: string,
): void {
  const bodies = new BodyReader();
  app.all("/mcp/client-tools", async (c) => {
    c.set("operation", "clientTools");
    const token = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
    const tools = lent.find(token);
    if (tools === undefined) throw new HostError("UNAUTHORIZED");
    if (c.req.method !== "POST") throw new HostError("METHOD_NOT_ALLOWED");
    const message = readMessage(await bodies.read(c.req.raw, bodyBytes));
    if (message === undefined) {
      return c.json(errorOf(null, ErrorCode.invalidRequest, "Send one JSON-RPC message."), 400);
    }
    const { id, method, params } = message;
    // Notifications, and responses to requests that this server never makes.
    if (id === undefined || method === undefined) return c.body(null, 202);
    const result = await answer(tools, method, params, { version, signal: c.req.raw.signal });
    if (result === undefined) {
      return c.json(errorOf(id, ErrorCode.methodNotFound, `There is no method ${method}.`));
    }
    return c.json({ jsonrpc: "2.0", id, result });
  });
}

function readMessage(text: string): Message | undefined {
  const { jsonrpc, id, method, params } = membersOf(parseJson(text));
  if (jsonrpc !== "2.0") return undefined;
  return {
    ...((typeof id === "string" || typeof id === "number") && { id }),
    ...(typeof method === "string" && { method }),
    params: membersOf(params),
  };
}

function membersOf(value: JsonValue | undefined): Params {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Params) : {};
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    throw new HostError("INVALID_JSON", undefined, { cause });
  }
}

function errorOf(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

async function answer(
  tools: SessionTools,
  method: string,
  params: Params,
  { version, signal }: { readonly version: string; readonly signal: AbortSignal },
): Promise<object | undefined> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: versions.find((each) => each === params["protocolVersion"]) ?? versions[0],
        capabilities: { tools: {} },
        serverInfo: { name: "holdfast", version },
      };
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: tools.list().map(({ name, title, description, inputSchema }) => ({
          name,
          ...(title !== undefined && { title }),
          ...(description !== undefined && { description }),
          inputSchema,
        })),
      };
    case "tools/call":
      return showResult(await tools.call(nameOf(params), params["arguments"] ?? {}, signal));
    default:
      return undefined;
  }
}

function nameOf({ name }: Params): string {
  return typeof name === "string" ? name : "";
}

/** A result as MCP has it; what MCP has no part for is its JSON. */
function showResult({ result, content }: LentToolResult): object {
  const { success, pastTenseMessage, rawOutput } = result;
  const error = result.success ? undefined : result.error?.message;
  const instead = error ?? pastTenseMessage ?? (rawOutput === undefined ? "" : JSON.stringify(rawOutput));
  const parts =
    content.length > 0 && error === undefined ? content.map(showPart) : [{ type: "text", text: instead }];
  const isObject = typeof rawOutput === "object" && rawOutput !== null && !Array.isArray(rawOutput);
  return { content: parts, isError: !success, ...(isObject && { structuredContent: rawOutput }) };
}

function showPart(part: ToolContent): object {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "embeddedResource":
      if (part.contentType.startsWith("image/")) {
        return { type: "image", data: part.data, mimeType: part.contentType };
      }
      return { type: "text", text: Buffer.from(part.data, "base64").toString("utf8") };
    case "resource":
      return { type: "resource_link", uri: part.uri, name: part.uri };
    default:
      return { type: "text", text: JSON.stringify(part) };
  }
}
