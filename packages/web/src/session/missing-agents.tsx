// The agents that must be installed first, each with how.
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy-button.tsx";
import { Fold } from "../ui/fold.tsx";
import { type Agents, type CatalogueAgent, useAgents } from "./agent-catalogue.ts";
import style from "./start-box.module.css";

interface MissingAgentsProps {
  readonly agents: Agents;
  /** Whether the list is shown at once: where nothing else can be done. */
  readonly isOpen?: boolean;
}

export function MissingAgents({ agents: all, isOpen = false }: MissingAgentsProps): ReactNode {
  const agents = all.status === "known" ? all.agents.filter(({ installed }) => !installed) : [];
  if (agents.length === 0) return null;
  if (isOpen) {
    return (
      <div className={style.install}>
        <p className={style.hint}>Install one of these agents, then reload the page.</p>
        <InstallList agents={agents} />
      </div>
    );
  }
  return (
    <Fold
      summary={agents.length === 1 ? "1 agent is not installed" : `${agents.length} agents are not installed`}
    >
      <InstallList agents={agents} />
    </Fold>
  );
}

/** How to install an agent that a session wanted; nothing where it is installed (Z912). */
export function InstallHint({ agentId }: { readonly agentId: string }): ReactNode {
  const agents = useAgents(false);
  if (agents.status !== "known") return null;
  const missing = agents.agents.filter(({ id, installed }) => id === agentId && !installed);
  return missing.length === 0 ? null : <InstallList agents={missing} />;
}

function InstallList({ agents }: { readonly agents: readonly CatalogueAgent[] }): ReactNode {
  const [copied, setCopied] = useState("");
  return (
    <ul className={style.missing} aria-label="Agents that are not installed">
      {agents.map(({ id, label, installCommand }) => (
        <li key={id}>
          <span>{label}</span>
          {installCommand === undefined ? (
            <span className={style.hint}>Install it, or set its command in the configuration.</span>
          ) : (
            <>
              <code>{installCommand}</code>
              <Button
                size="small"
                aria-label={`${copied === installCommand ? "Copied" : "Copy"} the install command of ${label}`}
                onClick={() => {
                  if (copyText(installCommand)) setCopied(installCommand);
                }}
              >
                {copied === installCommand ? "Copied" : "Copy"}
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
