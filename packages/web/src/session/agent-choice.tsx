// Choice of an agent: those that are installed, and how to install the others.
import { useState, type ReactNode } from "react";
import control from "../style/control.module.css";
import { type Agents, type CatalogueAgent, readinessWords } from "./agent-catalogue.ts";
import style from "./new-session-dialog.module.css";

export interface AgentChoiceProps {
  readonly agents: Agents;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

export function AgentChoice({ agents, chosen, onChoose }: AgentChoiceProps): ReactNode {
  return (
    <fieldset className={style.agents}>
      <legend>Agent</legend>
      {agents.status === "loading" && <p className={style.hint}>Looking for agents on this machine…</p>}
      {agents.status === "unknown" && <p className={style.hint}>{agents.reason}</p>}
      {agents.status === "known" && (
        <>
          {agents.agents
            .filter(({ installed }) => installed)
            .map((agent) => (
              <label key={agent.id} className={style.agent}>
                <input
                  type="radio"
                  name="agent"
                  value={agent.id}
                  checked={agent.id === chosen}
                  onChange={() => onChoose(agent.id)}
                />
                <span>{agent.label}</span>
                <span className={style.hint}>{readinessWords(agent)}</span>
              </label>
            ))}
          <MissingAgents agents={agents.agents.filter(({ installed }) => !installed)} />
        </>
      )}
    </fieldset>
  );
}

/** The agents that must be installed first, each with how. */
function MissingAgents({ agents }: { readonly agents: readonly CatalogueAgent[] }): ReactNode {
  const [copied, setCopied] = useState("");
  if (agents.length === 0) return null;
  const copy = async (command: string): Promise<void> => {
    await navigator.clipboard.writeText(command);
    setCopied(command);
  };
  return (
    <details className={style.missing}>
      <summary>
        {agents.length === 1 ? "1 agent is not installed" : `${agents.length} agents are not installed`}
      </summary>
      <ul aria-label="Agents that are not installed">
        {agents.map(({ id, label, installCommand }) => (
          <li key={id}>
            <span>{label}</span>
            {installCommand === undefined ? (
              <span className={style.hint}>Install it, or set its command in the configuration.</span>
            ) : (
              <>
                <code>{installCommand}</code>
                {/* Without a secure address there is no clipboard. */}
                {isSecureContext && (
                  <button
                    type="button"
                    className={control.small}
                    aria-label={`${copied === installCommand ? "Copied" : "Copy"} the install command of ${label}`}
                    onClick={() => void copy(installCommand)}
                  >
                    {copied === installCommand ? "Copied" : "Copy"}
                  </button>
                )}
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
