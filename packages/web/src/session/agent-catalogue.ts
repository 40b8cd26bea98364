// The agents that the host knows, asked over HTTP.
import { hostFetch } from "../host/host-fetch.ts";

/** A model that an agent told of when it last ran. */
export interface AgentModel {
  readonly id: string;
  readonly name?: string;
}

/** An agent, as the list of the app API tells it; only what the page shows. */
export interface CatalogueAgent {
  readonly id: string;
  readonly label: string;
  readonly installed: boolean;
  readonly authReady: boolean;
  readonly version?: string | null;
  readonly supported?: boolean;
  readonly terminalOnly?: boolean;
  readonly models?: readonly AgentModel[];
}

/** Asks for the agents and their models; rejects with a sentence for people. */
export async function fetchAgents(signal: AbortSignal): Promise<readonly CatalogueAgent[]> {
  const answer = await hostFetch("/sdk/acp/agents?includeModels=true", signal);
  const { agents } = (await answer.json()) as { readonly agents: readonly CatalogueAgent[] };
  return agents;
}

/** Agents that can be used first, then those that must be signed in, then those that must be installed. */
export function byReadiness(agents: readonly CatalogueAgent[]): CatalogueAgent[] {
  return agents
    .filter(({ supported, terminalOnly }) => supported !== false && terminalOnly !== true)
    .toSorted((one, other) => readiness(other) - readiness(one) || one.label.localeCompare(other.label));
}

/** Says whether an agent can be used, and what is missing. */
export function readinessWords({ installed, authReady, version }: CatalogueAgent): string {
  if (!installed) return "not installed";
  const found = version === null || version === undefined ? "installed" : `installed · ${version}`;
  return authReady ? found : `${found} · not signed in`;
}

function readiness({ installed, authReady }: CatalogueAgent): number {
  return installed ? (authReady ? 2 : 1) : 0;
}
