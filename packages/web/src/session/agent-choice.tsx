// The choice of an agent, with whether each is installed and signed in.
import { useEffect, useState, type ReactNode } from "react";
import { byReadiness, fetchAgents, readinessWords, type CatalogueAgent } from "./agent-catalogue.ts";
import style from "./new-session-dialog.module.css";

/** What is chosen, and what is told when another is. */
export interface AgentChoiceProps {
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** The agents of this machine. */
export function AgentChoice({ chosen, onChoose }: AgentChoiceProps): ReactNode {
  const [agents, setAgents] = useState<readonly CatalogueAgent[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const loading = new AbortController();
    fetchAgents(loading.signal).then(
      (found) => setAgents(byReadiness(found)),
      (error: unknown) => {
        if (!loading.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
      },
    );
    return () => loading.abort();
  }, []);
  return (
    <fieldset className={style.agents}>
      <legend>Agent</legend>
      {agents === undefined && (
        <p className={style.hint}>{problem ?? "Looking for agents on this machine …"}</p>
      )}
      {agents?.map((agent) => (
        <label key={agent.id} className={style.agent} data-missing={!agent.installed}>
          <input
            type="radio"
            name="agent"
            value={agent.id}
            checked={agent.id === chosen}
            disabled={!agent.installed}
            onChange={() => onChoose(agent.id)}
          />
          <span className={style.agentName}>{agent.label}</span>
          <span className={style.hint}>{readinessWords(agent)}</span>
        </label>
      ))}
    </fieldset>
  );
}
