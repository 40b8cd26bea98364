// The tools that a session offers its agent: MCP servers, and those that clients lend.
import type { AcpMcpServer } from "../agent/acp.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import type { ToolLender } from "../editor/client-tools.ts";
import type { AgentContext } from "./agent-context.ts";

export class AgentToolOffer {
  readonly #context: AgentContext;
  readonly #lent: ToolLender;

  constructor(context: AgentContext, lent: ToolLender) {
    this.#context = context;
    this.#lent = lent;
  }

  /** The digest of the agent's token for lent tools. */
  get digest(): string | undefined {
    return this.#context.deps.clientTools.digestFor(this.#context.uri);
  }

  /** The servers for a session that the agent opens; what it cannot have is a warning. */
  offer({ info, exited }: AgentConnection): readonly AcpMcpServer[] {
    const { uri: session, deps, state, ledger } = this.#context;
    const { servers, problems } = deps.mcpServers.offer(state.mcpServers ?? [], info);
    for (const problem of problems) this.#context.warn(problem);
    const lent = deps.clientTools.offer({ session, tools: this.#lent, info, exited });
    if (lent.problem !== undefined) this.#context.warn(lent.problem);
    if (lent.secret !== undefined) ledger?.conceal(lent.secret);
    return lent.server === undefined ? servers : [...servers, lent.server];
  }

  /** Lends tools again to an agent of an earlier host; without a digest it has none. */
  restore({ exited }: AgentConnection, digest: string | undefined): void {
    if (digest === undefined) return;
    const { uri: session, deps } = this.#context;
    deps.clientTools.restore({ session, tools: this.#lent, exited }, digest);
  }
}
