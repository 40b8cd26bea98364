// Routes of ACP's streamable HTTP transport: POST for the client's messages, GET for streams, DELETE for the end.
import { randomUUID } from "node:crypto";
import { isJsonObject } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, Hono } from "hono";
import type { Access } from "../auth/access.ts";
import type { Identity } from "../auth/identity.ts";
import { requirePermission } from "../auth/permission.ts";
import { bindingsOf, refuseOtherMethods, type ServerEnv } from "../http/operation-routes.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import { BodyReader } from "../http/request-body.ts";
import { MAX_MESSAGE_BYTES } from "../socket/client-sockets.ts";
import { HttpConnection } from "./http-connection.ts";
import { membersOf } from "./params.ts";
import { ACP_PATH, type AcpAdmission, acpClient } from "./acp-admission.ts";

export interface AcpRoutesParts {
  readonly access: Pick<Access, "revocations">;
  readonly admission: AcpAdmission;
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
}

interface Kept {
  readonly connection: HttpConnection;
  readonly principal: string;
  readonly since: string;
  readonly forget: () => void;
}

const connectionHeader = "acp-connection-id";
const sessionHeader = "acp-session-id";
/** How long a connection that nobody uses is kept. */
const idleLimitMs = 5 * 60_000;
const checkEveryMs = 30_000;

/** The connections over HTTP. Their server closes them. */
export class AcpRoutes {
  readonly #parts: AcpRoutesParts;
  readonly #connections = new Map<string, Kept>();
  readonly #bodies = new BodyReader();
  /** Runs while there are connections. */
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AcpRoutesParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#connections.size;
  }

  get connections(): readonly { readonly id: string; readonly kept: Kept }[] {
    return [...this.#connections].map(([id, kept]) => ({ id, kept }));
  }

  mount(app: Hono<ServerEnv>): void {
    app.post(ACP_PATH, (c) => this.#post(c));
    // HEAD comes here, too, and would take the place of the stream's reader.
    app.get(ACP_PATH, (c, next) => (c.req.method === "GET" ? this.#get(c) : next()));
    app.delete(ACP_PATH, (c) => {
      this.#remove(this.#find(c).id);
      return new Response(null, { status: 202 });
    });
    refuseOtherMethods(app, ACP_PATH, ["POST", "GET", "DELETE"]);
  }

  close(): void {
    for (const id of this.#connections.keys()) this.#remove(id);
  }

  async #post(c: Context<ServerEnv>): Promise<Response> {
    this.#admit(c);
    const text = await this.#bodies.read(c.req.raw, MAX_MESSAGE_BYTES);
    const message = readMessage(text);
    const isInitialize = message["method"] === "initialize" && message["id"] !== undefined;
    if (isInitialize && c.req.header(connectionHeader) === undefined) return this.#initialize(c, text);
    const { connection } = this.#find(c).kept;
    requireSameSession(c.req.header(sessionHeader), message);
    await connection.push(text, message);
    return new Response(null, { status: 202 });
  }

  async #initialize(c: Context<ServerEnv>, text: string): Promise<Response> {
    const { admission, streams, heartbeatMs, access } = this.#parts;
    const identity = this.#admit(c);
    admission.requireRoom();
    const { searchParams } = new URL(c.req.url);
    const client = acpClient(identity, searchParams);
    const connection = new HttpConnection({ deps: admission.deps(), client, streams, heartbeatMs });
    const id = randomUUID();
    const response = await connection.initialize(text);
    if (connection.connection.info === undefined) {
      connection.close();
      return new Response(response, { status: 400, headers: { "content-type": "application/json" } });
    }
    const forget = access.revocations.watch(identity.clientId, () => this.#remove(id));
    const since = new Date().toISOString();
    this.#connections.set(id, { connection, principal: identity.clientId, since, forget });
    // It may also end without its client, such as one for which too much waits to be sent.
    void connection.connection.rpc.closed.then(() => this.#remove(id));
    this.#timer ??= setInterval(() => this.#removeIdle(), checkEveryMs).unref();
    return new Response(response, {
      headers: { "content-type": "application/json", [connectionHeader]: id },
    });
  }

  #get(c: Context<ServerEnv>): Response {
    this.#admit(c);
    const { connection } = this.#find(c).kept;
    const { outgoing } = bindingsOf(c);
    if (outgoing === undefined) throw new TypeError("An event stream needs the socket of its request");
    connection.read(c.req.header(sessionHeader), outgoing, readEventId(c.req.header("last-event-id")));
    return RESPONSE_ALREADY_SENT;
  }

  #admit(c: Context<ServerEnv>): Identity {
    c.set("operation", "acp");
    const { identity } = c.var;
    requirePermission(identity, "acp.agent");
    return identity;
  }

  /** The connection that a request names; another credential's looks like none. */
  #find(c: Context<ServerEnv>): { readonly id: string; readonly kept: Kept } {
    const { identity } = c.var;
    const id = c.req.header(connectionHeader);
    if (id === undefined) throw new HostError("INVALID_REQUEST", "The header Acp-Connection-Id is missing.");
    const kept = this.#connections.get(id);
    if (kept === undefined || kept.principal !== identity.clientId) {
      throw new HostError("NOT_FOUND", "There is no such connection. Send initialize to open another.");
    }
    return { id, kept };
  }

  #remove(id: string): void {
    const kept = this.#connections.get(id);
    if (kept === undefined) return;
    this.#connections.delete(id);
    kept.forget();
    kept.connection.close();
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #removeIdle(): void {
    for (const [id, { connection }] of this.#connections) {
      if (connection.idleMs > idleLimitMs) this.#remove(id);
    }
  }
}

function readMessage(text: string): Readonly<Record<string, unknown>> {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (cause) {
    throw new HostError("INVALID_JSON", undefined, { cause });
  }
  if (isJsonObject(message)) return message;
  throw new HostError("INVALID_REQUEST", "Send one JSON-RPC message; ACP has no batches.");
}

function requireSameSession(header: string | undefined, message: Readonly<Record<string, unknown>>): void {
  const { sessionId } = membersOf(message["params"]);
  if (header === undefined || sessionId === undefined || header === sessionId) return;
  throw new HostError(
    "INVALID_REQUEST",
    "The header Acp-Session-Id names a different session than the message.",
  );
}

function readEventId(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,15}$/.test(header)) return Number(header);
  throw new HostError("INVALID_REQUEST", "The header Last-Event-ID is not an id of this stream.");
}
