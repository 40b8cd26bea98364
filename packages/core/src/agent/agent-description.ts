// The agents of a host as its API lists them, and as clients of the root see them.
import { makeId, type AgentInfo as RootAgent } from "@holdfast/ahp";
import { modelMembers, type AgentInfo } from "@holdfast/protocol";
import type { AgentEntry } from "./agent-entry.ts";
import type { Installations } from "./installations.ts";

/** One agent, looked for on this machine. */
export async function describeAgent(
  entry: AgentEntry,
  installations: Installations,
  includeModels: boolean,
): Promise<AgentInfo> {
  const found = await installations.find(entry);
  const providers = Object.keys(entry.forwarding);
  return {
    id: entry.id,
    label: entry.label,
    handles: entry.handles,
    installed: found.installed,
    authReady: found.installed && found.authReady,
    version: found.installed ? found.version : null,
    status: found.installed ? "installed" : "not_installed",
    supported: true,
    supportsProviderForwarding: providers.length > 0,
    forwardableProviders: providers,
    ...(includeModels && modelMembers(installations.models.list(entry.id))),
  };
}

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
