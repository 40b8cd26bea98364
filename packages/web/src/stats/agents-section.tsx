// Agents: which can be used, and a terminal to install one or to sign in.
import { type ReactNode, useState } from "react";
import { byReadiness, type CatalogueAgent, useAgents } from "../session/agent-catalogue.ts";
import { RemedyTerminal } from "../session/sign-in-offer.tsx";
import { Button } from "../ui/button.tsx";
import { Fold } from "../ui/fold.tsx";
import { Badge } from "../ui/status.tsx";
import style from "./host-page.module.css";
import { Row, Rows, Section } from "./section.tsx";

export function AgentsSection(): ReactNode {
  const agents = useAgents();
  if (agents.status === "loading") return <p className={style.hint}>Looking for agents…</p>;
  if (agents.status === "unknown") {
    return (
      <p className={style.hint} role="alert">
        {agents.reason}
      </p>
    );
  }
  const ordered = byReadiness(agents.agents);
  const installed = ordered.filter((agent) => agent.installed);
  const missing = ordered.filter((agent) => !agent.installed);
  return (
    <Section
      title="Agents"
      text={
        <>
          Found on this machine. <code>holdfast agents doctor ID</code> starts one and shows its handshake.
        </>
      }
    >
      <Rows label="Installed agents">
        {installed.map((agent) => (
          <AgentRow key={agent.id} agent={agent} />
        ))}
      </Rows>
      {missing.length > 0 && (
        <Fold summary={`${missing.length} not installed`}>
          <Rows label="Agents that are not installed">
            {missing.map((agent) => (
              <AgentRow key={agent.id} agent={agent} />
            ))}
          </Rows>
        </Fold>
      )}
    </Section>
  );
}

function AgentRow({ agent }: { readonly agent: CatalogueAgent }): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const { installed, authReady, version, installCommand, remedy } = agent;
  const command = installed ? (authReady ? undefined : remedy?.command) : installCommand;
  const state = !installed ? "Not installed" : authReady ? "Ready" : "Not signed in";
  const detail = [version ?? undefined, command].filter((part) => part !== undefined);
  return (
    <Row
      title={
        <>
          {agent.label}{" "}
          <Badge tone={state === "Ready" ? "good" : state === "Not signed in" ? "attention" : "plain"}>
            {state}
          </Badge>
        </>
      }
      detail={detail.length === 0 ? undefined : detail.map((part) => <code key={part}>{part} </code>)}
      actions={
        command !== undefined &&
        !isOpen && (
          <Button size="small" onClick={() => setIsOpen(true)}>
            {installed ? "Sign in" : "Install"} in a terminal
          </Button>
        )
      }
    >
      {isOpen && command !== undefined ? <RemedyTerminal command={command} folder="" /> : undefined}
    </Row>
  );
}
