// How the host is: its figures, who is connected, its agents, and what was done on it.
import { useEffect, useState, type ReactNode } from "react";
import { routeHash } from "../frame/route-hash.ts";
import { sizeWords } from "../frame/time-words.ts";
import { byReadiness, fetchAgents, readinessWords, type CatalogueAgent } from "../session/agent-catalogue.ts";
import { AuditTail } from "./audit-tail.tsx";
import { ConnectedClients } from "./connected-clients.tsx";
import { bytesPerSecond, type HostFigures } from "./host-figures.ts";
import style from "./host-page.module.css";
import { Sparkline } from "./sparkline.tsx";
import { useFigures } from "./use-figures.ts";

/** The page of the host. */
export function HostPage(): ReactNode {
  return (
    <div className={style.page}>
      <header className={style.head}>
        <a className={style.back} href={routeHash({ place: "home" })} aria-label="Back to the sessions">
          ←
        </a>
        <h1>Host</h1>
      </header>
      <Charts figures={useFigures()} />
      <ConnectedClients />
      <Agents />
      <AuditTail />
    </div>
  );
}

function Charts({ figures }: { readonly figures: readonly HostFigures[] }): ReactNode {
  const newest = figures.at(-1);
  if (newest === undefined) return <p className={style.hint}>Asking the host …</p>;
  const rates = bytesPerSecond(figures);
  const counts = [
    { name: "Sessions", read: (figure: HostFigures) => figure.sessions },
    { name: "Turns running", read: (figure: HostFigures) => figure.turnsRunning },
    { name: "Terminals running", read: (figure: HostFigures) => figure.terminalsRunning },
    { name: "Followed channels", read: (figure: HostFigures) => figure.subscribers },
  ];
  return (
    <section className={style.charts} aria-label="Figures">
      {counts.map(({ name, read }) => (
        <Sparkline key={name} name={name} values={figures.map(read)} words={String(read(newest))} />
      ))}
      <Sparkline name="Terminal output" values={rates} words={`${sizeWords(rates.at(-1) ?? 0)}/s`} />
      <Sparkline
        name="Loop delay (p99)"
        values={figures.map(({ loopDelayMs }) => loopDelayMs)}
        words={`${newest.loopDelayMs.toFixed(1)} ms`}
      />
      <Sparkline
        name="Memory"
        values={figures.map(({ memoryBytes }) => memoryBytes)}
        words={sizeWords(newest.memoryBytes)}
      />
    </section>
  );
}

function Agents(): ReactNode {
  const [agents, setAgents] = useState<readonly CatalogueAgent[]>([]);
  useEffect(() => {
    const loading = new AbortController();
    // Where the list cannot be had, the badge of the connection says why.
    fetchAgents(loading.signal).then(
      (found) => setAgents(byReadiness(found)),
      () => undefined,
    );
    return () => loading.abort();
  }, []);
  return (
    <section aria-label="Agents">
      <h2>Agents</h2>
      <ul className={style.agents}>
        {agents.map((agent) => (
          <li key={agent.id}>
            {agent.label} <span className={style.hint}>{readinessWords(agent)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
