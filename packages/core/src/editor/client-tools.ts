// Access of agents to the tools that clients lend: one token per running agent, and which clients are connected.
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { JsonObject, JsonValue, SessionUri, ToolContent, ToolFailure, ToolSuccess } from "@holdfast/ahp";
import type { AcpInitializeResult, AcpMcpServer } from "../agent/acp.ts";

/** A tool under the name by which one session's agent calls it. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
}

/** The outcome of a call. */
export interface LentToolResult {
  readonly result: ToolSuccess | ToolFailure;
  readonly content: readonly ToolContent[];
}

/** The lent tools of one session, as its agent uses them. */
export interface ToolLender {
  list(): readonly OfferedTool[];
  /** Calls back when the list changes, until the returned function is called. */
  watch(onChange: () => void): () => void;
  /** Resolves when the client has answered, the call was denied, or no client will answer. */
  call(name: string, input: JsonValue, signal: AbortSignal): Promise<LentToolResult>;
}

/** The tools that a token opens. */
export interface ToolAccess {
  readonly tools: ToolLender;
  /** Aborted when the token ends. */
  readonly ended: AbortSignal;
}

/** An agent that is about to open its session. */
export interface ToolUser {
  readonly session: SessionUri;
  readonly tools: ToolLender;
  readonly info: AcpInitializeResult;
  /** Settles when its process has ended. */
  readonly exited: Promise<unknown>;
}

/** Keeps a secret out of everything that is recorded, until the returned function is called. */
export type KeepSecret = (secret: string) => () => void;

interface Lease extends ToolAccess {
  readonly digest: Buffer;
  readonly end: AbortController;
}

/** The name of the MCP server, as agents show it. */
const serverName = "editor";
/** The path of the MCP server. */
export const CLIENT_TOOLS_PATH = "/mcp/client-tools";
const tokenBytes = 32;

/** The lent tools of all sessions of a host. */
export class ClientToolLeases {
  readonly #keepSecret: KeepSecret;
  /** By the digest of its token: the time of a lookup says nothing about a token. */
  readonly #leases = new Map<string, Lease>();
  readonly #bySession = new Map<SessionUri, Lease>();
  readonly #connected = new Set<string>();
  readonly #watchers = new Set<() => void>();
  #url: string | undefined;

  constructor(keepSecret: KeepSecret = () => () => {}) {
    this.#keepSecret = keepSecret;
  }

  /** The host listens on this loopback address; before, no agent is offered any tools. */
  serveAt(url: string): void {
    this.#url = url;
  }

  /** The tools that a token opens; undefined for any other text (N820). */
  find(token: string): ToolAccess | undefined {
    const digest = digestOf(token);
    const lease = this.#leases.get(digest.toString("hex"));
    return lease !== undefined && timingSafeEqual(lease.digest, digest) ? lease : undefined;
  }

  /** The MCP server for an agent whose session has lent tools; or why it gets none. */
  offer({ session, tools, info, exited }: ToolUser): {
    readonly server?: AcpMcpServer;
    readonly problem?: string;
  } {
    this.withdraw(session);
    if (tools.list().length === 0) return {};
    if (this.#url === undefined) return { problem: NOT_LOCAL };
    if (info.agentCapabilities?.mcpCapabilities?.http !== true) return { problem: NO_HTTP };
    const token = randomBytes(tokenBytes).toString("base64url");
    const forgetSecret = this.#keepSecret(token);
    const lease = this.#add(session, token, tools);
    // Its last words are on record by then.
    const release = (): void => {
      this.#end(session, lease);
      forgetSecret();
    };
    void exited.then(release, release);
    const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
    return { server: { type: "http", name: serverName, url: this.#url + CLIENT_TOOLS_PATH, headers } };
  }

  /** The session is closed, or its agent gets another token. */
  withdraw(session: SessionUri): void {
    const lease = this.#bySession.get(session);
    if (lease !== undefined) this.#end(session, lease);
  }

  /** A client has a connection again. */
  connected(clientId: string): void {
    this.#connected.add(clientId);
    this.#notify();
  }

  /** A client's last connection is over; it may come back. */
  disconnected(clientId: string): void {
    this.#connected.delete(clientId);
    this.#notify();
  }

  isConnected(clientId: string): boolean {
    return this.#connected.has(clientId);
  }

  /** Calls back when clients come or go, until the returned function is called. */
  watch(onChange: () => void): () => void {
    this.#watchers.add(onChange);
    return () => void this.#watchers.delete(onChange);
  }

  #notify(): void {
    for (const onChange of this.#watchers) onChange();
  }

  #add(session: SessionUri, token: string, tools: ToolLender): Lease {
    const end = new AbortController();
    const lease = { tools, end, ended: end.signal, digest: digestOf(token) };
    this.#leases.set(lease.digest.toString("hex"), lease);
    this.#bySession.set(session, lease);
    return lease;
  }

  #end(session: SessionUri, lease: Lease): void {
    this.#leases.delete(lease.digest.toString("hex"));
    if (this.#bySession.get(session) === lease) this.#bySession.delete(session);
    lease.end.abort();
  }
}

const NO_HTTP = "The agent cannot use the tools that clients lend: it has no MCP over HTTP.";
const NOT_LOCAL =
  "The agent cannot use the tools that clients lend: the host does not listen on a loopback address.";

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
