// The agents that must be installed first, each with how.
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy-button.tsx";
import { Fold } from "../ui/fold.tsx";
import type { CatalogueAgent } from "./agent-catalogue.ts";
import style from "./start-box.module.css";

export function MissingAgents({ agents }: { readonly agents: readonly CatalogueAgent[] }): ReactNode {
  const [copied, setCopied] = useState("");
  if (agents.length === 0) return null;
  return (
    <Fold
      summary={agents.length === 1 ? "1 agent is not installed" : `${agents.length} agents are not installed`}
    >
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
    </Fold>
  );
}
