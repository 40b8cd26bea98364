// The MCP server of a session's lent tools over streamable HTTP, admitted by the token of its agent alone.
import { randomUUID } from "node:crypto";
import type { JsonObject, JsonValue } from "@holdfast/ahp";
import { CLIENT_TOOLS_PATH, type ClientToolLeases, type ToolAccess } from "@holdfast/core";
import { ErrorCode } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { Context, Hono } from "hono";
import type { PeerOf } from "./admission.ts";
import { ToolStreams } from "./client-tools-stream.ts";
import type { StreamOptions } from "./event-stream.ts";
import {
  type McpMessage,
  type McpRequest,
  MCP_VERSIONS,
  mcpError,
  readMcpMessage,
  showFailure,
  showTool,
  showToolResult,
} from "./mcp-message.ts";
import { bindingsOf, type ServerEnv } from "./operation-routes.ts";
import { BodyReader } from "./request-body.ts";

export interface ClientToolsDeps {
  readonly lent: Pick<ClientToolLeases, "find">;
  readonly peerOf: PeerOf;
  readonly version: string;
  readonly streams: StreamOptions;
}

const maxBodyBytes = 1024 * 1024;
const maxBodiesBytes = 8 * maxBodyBytes;
const sessionHeader = "mcp-session-id";
/** Headers that browsers send and agents do not; Node's own `fetch` has `sec-fetch-mode`. */
const browserHeaders = ["origin", "cookie", "sec-fetch-site"];

/** Calls that wait, by their connection and id, so that the agent can cancel them. */
type Waiting = Map<string, AbortController>;

/** Mounted before credentials are asked for: an agent has no other than its token (A815). */
export function mountClientTools(app: Hono<ServerEnv>, deps: ClientToolsDeps): void {
  const bodies = new BodyReader(maxBodiesBytes);
  const waiting = new WeakMap<ToolAccess, Waiting>();
  const streams = new ToolStreams(deps.streams);
  app.all(CLIENT_TOOLS_PATH, async (c) => {
    c.set("operation", "clientTools");
    const access = admitAgent(c, deps);
    if (c.req.method === "GET") {
      checkVersion(c);
      return streams.open(access).respond(bindingsOf(c).outgoing);
    }
    if (c.req.method !== "POST") throw new HostError("METHOD_NOT_ALLOWED", undefined, { details: allowed });
    checkVersion(c);
    checkType(c);
    const message = readMcpMessage(await bodies.read(c.req.raw, maxBodyBytes));
    const calls = waiting.get(access) ?? new Map<string, AbortController>();
    waiting.set(access, calls);
    return answer(c, message, { ...deps, access, calls });
  });
}

const allowed = { allow: "GET, POST" };

/** Only a program on this machine that has the token of a running agent; a browser never, whatever it has (A815, A816). */
function admitAgent(c: Context<ServerEnv>, { lent, peerOf }: ClientToolsDeps): ToolAccess {
  if (!peerOf(c).isLocal) throw new HostError("UNAUTHORIZED");
  if (browserHeaders.some((name) => c.req.header(name) !== undefined)) {
    throw new HostError("ORIGIN_NOT_ALLOWED");
  }
  const [, token = ""] = /^Bearer ([\w-]+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
  const access = lent.find(token);
  if (access === undefined) throw new HostError("UNAUTHORIZED");
  return access;
}

function checkVersion(c: Context<ServerEnv>): void {
  const version = c.req.header("mcp-protocol-version");
  if (version === undefined || MCP_VERSIONS.some((each) => each === version)) return;
  throw new HostError("INVALID_REQUEST", `MCP-Protocol-Version: one of ${MCP_VERSIONS.join(", ")}.`);
}

/** A page can send other types without asking first. */
function checkType(c: Context<ServerEnv>): void {
  if (/^application\/json\s*(;|$)/i.test(c.req.header("content-type") ?? "")) return;
  throw new HostError("INVALID_REQUEST", "The body of an MCP message is application/json.");
}

interface Serving extends ClientToolsDeps {
  readonly access: ToolAccess;
  readonly calls: Waiting;
}

const accepted = 202;
const badRequest = 400;

async function answer(c: Context<ServerEnv>, message: McpMessage, serving: Serving): Promise<Response> {
  if (message.kind === "invalid") {
    return c.json(mcpError(null, ErrorCode.invalidRequest, message.problem), badRequest);
  }
  if (message.kind === "notification") {
    if (message.method === "notifications/cancelled") {
      serving.calls.get(callKey(c, message.params["requestId"]))?.abort();
    }
    return c.body(null, accepted);
  }
  const { id, method, params } = message;
  const result = (value: JsonObject | object): Response => c.json({ jsonrpc: "2.0", id, result: value });
  switch (method) {
    case "initialize": {
      // Names the agent's connection: two of one agent count their requests alike.
      c.header(sessionHeader, randomUUID());
      const protocolVersion =
        MCP_VERSIONS.find((each) => each === params["protocolVersion"]) ?? MCP_VERSIONS[0];
      const serverInfo = { name: "holdfast", version: serving.version };
      return result({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo });
    }
    case "ping":
      return result({});
    case "tools/list":
      return result({ tools: serving.access.tools.list().map(showTool) });
    case "tools/call":
      return callTool(c, message, serving);
    default:
      return c.json(mcpError(id, ErrorCode.methodNotFound, "The server of client tools has no such method."));
  }
}

async function callTool(
  c: Context<ServerEnv>,
  { id, params }: McpRequest,
  { access, calls, streams }: Serving,
): Promise<Response> {
  const { name, arguments: input = {} } = params;
  if (typeof name !== "string") {
    return c.json(mcpError(id, ErrorCode.invalidParams, "params.name: must be a string."));
  }
  const callName = readCallKey(c);
  const key = callKey(c, id);
  if (calls.has(key)) {
    return c.json(mcpError(id, ErrorCode.invalidRequest, "A call with this id is waiting already."));
  }
  const taken = new AbortController();
  calls.set(key, taken);
  const stopWaiting = waitForAgent(c, taken, streams);
  try {
    const signal = AbortSignal.any([taken.signal, access.ended]);
    const request = { signal, key: callName };
    return c.json({
      jsonrpc: "2.0",
      id,
      result: showToolResult(await access.tools.call(name, input, request)),
    });
  } catch (error) {
    if (error instanceof HostError) {
      return c.json({ jsonrpc: "2.0", id, result: showFailure(error.code, error.message) });
    }
    return c.json(mcpError(id, ErrorCode.internalError, `Internal error ${streams.report(error)}.`));
  } finally {
    calls.delete(key);
    stopWaiting();
  }
}

/**
 * Without its connection, nobody could be given the result any more. But a host that leaves its work to the next one
 * cuts the connection itself, at once, and the call continues there.
 */
function waitForAgent(c: Context<ServerEnv>, taken: AbortController, { streams }: StreamOptions): () => void {
  const { outgoing } = bindingsOf(c);
  let isLeft = false;
  outgoing?.once("close", () => {
    if (!isLeft) taken.abort();
  });
  return streams.onDisconnect(() => {
    isLeft = true;
    outgoing?.destroy();
  });
}

/** The agent's own name for the call, under which it asks for the result again where it loses the connection (A818). */
function readCallKey(c: Context<ServerEnv>): string | undefined {
  const key = c.req.header("idempotency-key");
  if (key === undefined || /^[\w-]{16,64}$/.test(key)) return key;
  throw new HostError("INVALID_REQUEST", "Idempotency-Key: 16 to 64 letters, digits, - or _.");
}

function callKey(c: Context<ServerEnv>, id: JsonValue | undefined): string {
  return JSON.stringify([c.req.header(sessionHeader) ?? "", id ?? null]);
}
