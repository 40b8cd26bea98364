// The choice of an agent, with whether each is installed and signed in.
import type { ReactNode } from "react";
import { readinessWords } from "./agent-catalogue.ts";
import style from "./new-session-dialog.module.css";
import type { Agents } from "./use-agents.ts";

/** What there is, what is chosen of it, and what is told when another is. */
export interface AgentChoiceProps {
  readonly agents: Agents;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** The agents of this machine. */
export function AgentChoice({ agents, chosen, onChoose }: AgentChoiceProps): ReactNode {
  return (
    <fieldset className={style.agents}>
      <legend>Agent</legend>
      {agents.status === "loading" && <p className={style.hint}>Looking for agents on this machine …</p>}
      {agents.status === "unknown" && <p className={style.hint}>{agents.reason}</p>}
      {agents.status === "known" &&
        agents.agents.map((agent) => (
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
