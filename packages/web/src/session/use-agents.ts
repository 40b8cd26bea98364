// The agents of the host's machine, looked for once while a component is there.
import { useEffect, useState } from "react";
import { byReadiness, fetchAgents, type CatalogueAgent } from "./agent-catalogue.ts";

/** What is known of the agents. */
export type Agents =
  | { readonly status: "loading" }
  | { readonly status: "known"; readonly agents: readonly CatalogueAgent[] }
  | { readonly status: "unknown"; readonly reason: string };

/** The agents, those first that can be used. */
export function useAgents(): Agents {
  const [agents, setAgents] = useState<Agents>({ status: "loading" });
  useEffect(() => {
    const loading = new AbortController();
    fetchAgents(loading.signal).then(
      (found) => setAgents({ status: "known", agents: byReadiness(found) }),
      (error: unknown) => {
        if (loading.signal.aborted) return;
        setAgents({ status: "unknown", reason: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => loading.abort();
  }, []);
  return agents;
}
