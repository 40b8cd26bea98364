// The agents of a host as clients of the root see them.
import { makeId, type AgentInfo as RootAgent } from "@holdfast/ahp";
import type { AgentInfo } from "@holdfast/protocol";

/** The list in the model's terms. */
export function describeAgents(agents: readonly AgentInfo[]): RootAgent[] {
  return agents.map((agent) => ({
    provider: makeId("agent", agent.id),
    displayName: agent.label,
    description: agent.installed ? `${agent.label} over ACP` : `${agent.label} is not installed`,
    handles: agent.handles,
    installation: agent.installed
      ? {
          status: "installed",
          authReady: agent.authReady,
          ...(agent.version !== null && { version: agent.version }),
        }
      : { status: "not-installed" },
    launch: "acp",
    forwardableProviders: agent.forwardableProviders ?? [],
    models: (agent.models ?? []).map(({ id, name = id }) => ({ id, name })),
  }));
}
