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
  call(name: string, input: JsonValue, request: ToolRequest): Promise<LentToolResult>;
}

/** A request for a call. */
export interface ToolRequest {
  /** Aborted when the agent does not wait any longer. */
  readonly signal: AbortSignal;
  /** The caller's own name for the call, by which it can ask for the result again; another request of it starts nothing. */
  readonly key?: string | undefined;
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

/** A program that serves the MCP server on stdio, and gets its address and token in its environment. */
export interface ToolBridge {
  readonly command: string;
  readonly args: readonly string[];
}

export interface ClientToolOptions {
  readonly keepSecret?: KeepSecret | undefined;
  /** Absent: agents without MCP over HTTP get no tools. */
  readonly bridge?: ToolBridge | undefined;
}

interface Lease extends ToolAccess {
  readonly digest: Buffer;
  readonly end: AbortController;
  /** Absent for a token of an earlier host, which stored no more than its digest, until the agent uses it. */
  forgetSecret?: (() => void) | undefined;
}

/** The MCP server for an agent, and the secret in it; or why there is none. */
interface ToolOffer {
  readonly server?: AcpMcpServer;
  readonly secret?: string;
  readonly problem?: string;
}

/** The name of the MCP server, as agents show it. */
const serverName = "editor";
/** The path of the MCP server. */
export const CLIENT_TOOLS_PATH = "/mcp/client-tools";
const tokenBytes = 32;

/** The lent tools of all sessions of a host. */
export class ClientToolLeases {
  readonly #keepSecret: KeepSecret;
  readonly #bridge: ToolBridge | undefined;
  /** By the digest of its token: the time of a lookup says nothing about a token. */
  readonly #leases = new Map<string, Lease>();
  readonly #bySession = new Map<SessionUri, Lease>();
  readonly #connected = new Set<string>();
  readonly #watchers = new Set<() => void>();
  #url: string | undefined;

  constructor({ keepSecret = () => () => {}, bridge }: ClientToolOptions = {}) {
    this.#keepSecret = keepSecret;
    this.#bridge = bridge;
  }

  /** The host listens on this loopback address; before, no agent is offered any tools. */
  serveAt(url: string): void {
    this.#url = url;
  }

  /** The tools that a token opens; undefined for any other text (N820). */
  find(token: string): ToolAccess | undefined {
    const digest = digestOf(token);
    const lease = this.#leases.get(digest.toString("hex"));
    if (lease === undefined || !timingSafeEqual(lease.digest, digest)) return undefined;
    lease.forgetSecret ??= this.#keepSecret(token);
    return lease;
  }

  /** The MCP server for an agent whose session has lent tools; or why it gets none. */
  offer({ session, tools, info, exited }: ToolUser): ToolOffer {
    this.withdraw(session);
    if (tools.list().length === 0) return {};
    if (this.#url === undefined) return { problem: NOT_LOCAL };
    const hasHttp = info.agentCapabilities?.mcpCapabilities?.http === true;
    if (!hasHttp && this.#bridge === undefined) return { problem: NO_HTTP };
    const token = randomBytes(tokenBytes).toString("base64url");
    const lease = this.#add(session, digestOf(token), { tools, exited });
    lease.forgetSecret = this.#keepSecret(token);
    return {
      server: serverFor(this.#url + CLIENT_TOOLS_PATH, token, hasHttp ? undefined : this.#bridge),
      secret: token,
    };
  }

  /** The token of an agent that outlived the host that made it, by its digest (N823). */
  restore({ session, tools, exited }: Omit<ToolUser, "info">, digest: string): void {
    this.withdraw(session);
    this.#add(session, Buffer.from(digest, "hex"), { tools, exited });
  }

  /** The digest of the token of a session's agent, for the next host; the token itself is stored nowhere. */
  digestFor(session: SessionUri): string | undefined {
    return this.#bySession.get(session)?.digest.toString("hex");
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

  #add(session: SessionUri, digest: Buffer, { tools, exited }: Pick<ToolUser, "tools" | "exited">): Lease {
    const end = new AbortController();
    const lease: Lease = { tools, end, ended: end.signal, digest };
    this.#leases.set(digest.toString("hex"), lease);
    this.#bySession.set(session, lease);
    // Its last words are on record by then.
    const release = (): void => {
      this.#end(session, lease);
      lease.forgetSecret?.();
    };
    void exited.then(release, release);
    return lease;
  }

  #end(session: SessionUri, lease: Lease): void {
    this.#leases.delete(lease.digest.toString("hex"));
    if (this.#bySession.get(session) === lease) this.#bySession.delete(session);
    lease.end.abort();
  }
}

const NO_HTTP =
  "The agent cannot use the tools that clients lend: it does not support MCP over HTTP, and this host has no bridge over stdio.";
const NOT_LOCAL =
  "The agent cannot use the tools that clients lend: the host does not listen on a loopback address.";

function serverFor(url: string, token: string, bridge: ToolBridge | undefined): AcpMcpServer {
  if (bridge === undefined) {
    const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
    return { type: "http", name: serverName, url, headers };
  }
  // Not in its arguments, which every user of the machine can read.
  const env = [
    { name: "HOLDFAST_CLIENT_TOOLS_URL", value: url },
    { name: "HOLDFAST_CLIENT_TOOLS_TOKEN", value: token },
  ];
  return { name: serverName, command: bridge.command, args: bridge.args, env };
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
