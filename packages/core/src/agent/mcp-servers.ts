// The MCP servers of the configuration, as a session chooses from them and its agent receives them.
import { HostError, type Config } from "@holdfast/protocol";
import type { AcpInitializeResult, AcpMcpServer } from "./acp.ts";

/** The servers that an agent receives, and those left out because it cannot use them. */
export interface OfferedMcpServers {
  readonly servers: readonly AcpMcpServer[];
  /** Sentences on those that were left out. */
  readonly problems: readonly string[];
}

/** Variables and headers with secrets are named so; other values may be ordinary words. */
const secretName = /key|token|secret|passw|auth|cookie/i;
const leastSecretLength = 8;

/** The MCP servers of one host. */
export class McpServers {
  readonly #configured: Config["mcpServers"];

  constructor(configured: Config["mcpServers"]) {
    this.#configured = configured;
  }

  get names(): readonly string[] {
    return Object.keys(this.#configured);
  }

  /** The secrets in the servers' settings, to be kept out of logs and errors. */
  get secrets(): readonly string[] {
    return Object.values(this.#configured)
      .flatMap(({ env, headers }) => [...Object.entries(env), ...Object.entries(headers)])
      .filter(([name, value]) => secretName.test(name) && value.length >= leastSecretLength)
      .flatMap(([, value]) => [value, value.replace(/^\w+ /, "")]);
  }

  /** Refuses a name that is none of these. */
  check(names: readonly string[]): void {
    const unknown = names.find((name) => this.#configured[name] === undefined);
    if (unknown === undefined) return;
    const known = this.names.length === 0 ? "There are none" : `There are: ${this.names.join(", ")}`;
    throw new HostError(
      "ACP_INVALID_OPTION",
      `mcpServers: the configuration has no MCP server '${unknown}'. ${known}.`,
    );
  }

  /** Describes servers for an agent; one that left the configuration, or that the agent cannot reach, is left out. */
  offer(names: readonly string[], { agentCapabilities }: AcpInitializeResult): OfferedMcpServers {
    const reachable = agentCapabilities?.mcpCapabilities ?? {};
    const servers: AcpMcpServer[] = [];
    const problems: string[] = [];
    for (const name of names) {
      const server = this.#configured[name];
      if (server?.command !== undefined) {
        const { command, args, env } = server;
        servers.push({ name, command, args, env: listOf(env) });
      } else if (server?.url === undefined) {
        problems.push(`The MCP server ${name} is no longer in the configuration.`);
      } else if (reachable[server.transport] === true) {
        const { url, transport: type, headers } = server;
        servers.push({ type, name, url, headers: listOf(headers) });
      } else {
        problems.push(`The agent cannot use the MCP server ${name}: no MCP over ${server.transport}.`);
      }
    }
    return { servers, problems };
  }
}

function listOf(
  values: Readonly<Record<string, string>>,
): { readonly name: string; readonly value: string }[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}
