// Tools that clients lend to the agents of their sessions: where agents reach them, and for which session a token counts.
import { randomBytes } from "node:crypto";
import type {
  ClientId,
  JsonObject,
  JsonValue,
  SessionUri,
  ToolContent,
  ToolFailure,
  ToolSuccess,
} from "@holdfast/ahp";
import type { AcpInitializeResult, AcpMcpServer } from "../agent/acp.ts";

/** A tool of a client that is active in a session. */
export interface LentTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonObject;
  readonly clientId: ClientId;
}

/** What became of a call. */
export interface LentToolResult {
  readonly result: ToolSuccess | ToolFailure;
  readonly content: readonly ToolContent[];
}

/** The lent tools of one session, as its agent uses them. */
export interface SessionTools {
  list(): readonly LentTool[];
  /** Resolves when the client has answered, the call was denied, or nobody is left to answer. */
  call(name: string, input: JsonValue, signal: AbortSignal): Promise<LentToolResult>;
}

/** The name of the MCP server, as agents show it. */
const serverName = "editor";
const path = "/mcp/client-tools";

/** The lent tools of all sessions of a host. */
export class ClientTools {
  readonly #byToken = new Map<string, SessionTools>();
  readonly #tokens = new Map<SessionUri, string>();
  #url: string | undefined;

  /** Where the host listens; before, no agent is offered any tools. */
  serveAt(url: string): void {
    this.#url = url;
  }

  /** The tools that a token counts for. */
  find(token: string): SessionTools | undefined {
    return this.#byToken.get(token);
  }

  /** The MCP server for an agent that is about to open its session, where there are tools; or why it gets none. */
  offer(
    session: SessionUri,
    tools: SessionTools,
    { agentCapabilities }: AcpInitializeResult,
  ): { readonly server?: AcpMcpServer; readonly problem?: string } {
    if (this.#url === undefined || tools.list().length === 0) return {};
    if (agentCapabilities?.mcpCapabilities?.http !== true) {
      return { problem: "The agent cannot use the tools of clients: no MCP over http." };
    }
    this.withdraw(session);
    const token = randomBytes(32).toString("base64url");
    this.#byToken.set(token, tools);
    this.#tokens.set(session, token);
    const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
    return { server: { type: "http", name: serverName, url: this.#url + path, headers } };
  }

  /** The session is over, or its agent is started again. */
  withdraw(session: SessionUri): void {
    const token = this.#tokens.get(session);
    if (token !== undefined) this.#byToken.delete(token);
    this.#tokens.delete(session);
  }
}
