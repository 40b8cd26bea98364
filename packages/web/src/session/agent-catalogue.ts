// The agents that the host knows, asked over HTTP.
import { useEffect, useRef, useState } from "react";
import { hostFetch } from "../host/host-fetch.ts";
import { useIsReachable } from "../host/use-host.ts";

/** A model that an agent reported when it last ran. */
export interface AgentModel {
  readonly id: string;
  readonly name?: string;
}

/** An agent, as the app API lists it; only the fields that the page shows. */
export interface CatalogueAgent {
  readonly id: string;
  readonly label: string;
  readonly installed: boolean;
  readonly authReady: boolean;
  readonly version?: string | null;
  /** How to sign in, where no sign-in was found. */
  readonly remedy?: { readonly text: string; readonly command?: string };
  /** The command that installs it, where the host knows one. */
  readonly installCommand?: string;
  readonly supported?: boolean;
  readonly terminalOnly?: boolean;
  readonly models?: readonly AgentModel[];
}

/** Asks for the agents; rejects with a sentence for people. With models it may take 20 s: agents are started to ask them. */
async function fetchAgents(signal: AbortSignal, includeModels = false): Promise<readonly CatalogueAgent[]> {
  const answer = await hostFetch(`/sdk/acp/agents${includeModels ? "?includeModels=true" : ""}`, signal);
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
  if (!installed) return "Not installed";
  const found = version === null || version === undefined ? "Installed" : `Installed · ${version}`;
  return authReady ? found : `${found} · Not signed in`;
}

function readiness({ installed, authReady }: CatalogueAgent): number {
  return installed ? (authReady ? 2 : 1) : 0;
}

export type Agents =
  | { readonly status: "loading" }
  | { readonly status: "known"; readonly agents: readonly CatalogueAgent[] }
  | { readonly status: "unknown"; readonly reason: string };

/** The agents, those first that can be used; the models of each come later, where they are wanted. */
export function useAgents(withModels = true): Agents {
  const [agents, setAgents] = useState<Agents>({ status: "loading" });
  const isReachable = useIsReachable();
  const isComplete = useRef(false);
  useEffect(() => {
    // Loading that a lost connection interrupted begins again when it is back; the rest is not loaded twice.
    if (!isReachable || isComplete.current) return;
    const loading = new AbortController();
    const load = async (): Promise<void> => {
      // The agents can be chosen from before their models are there.
      for (const includeModels of withModels ? [false, true] : [false]) {
        const found = await fetchAgents(loading.signal, includeModels);
        setAgents({ status: "known", agents: byReadiness(found) });
      }
      isComplete.current = true;
    };
    load().catch((error: unknown) => {
      if (loading.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      setAgents((known) => (known.status === "known" ? known : { status: "unknown", reason }));
    });
    return () => loading.abort();
  }, [withModels, isReachable]);
  return agents;
}
