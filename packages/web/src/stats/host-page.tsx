// Page of the host: its platform, the connected clients, and its load.
import { type ReactNode, useEffect, useState } from "react";
import { routeHash } from "../frame/route.ts";
import { agoWords, sizeWords, useNow } from "../frame/time-words.ts";
import { useHost } from "../host/use-host.ts";
import { byReadiness, type CatalogueAgent, fetchAgents, readinessWords } from "../session/agent-catalogue.ts";
import { AuditTail } from "./audit.tsx";
import { bytesPerSecond, type HostStats } from "./host-stats.ts";
import control from "../style/control.module.css";
import style from "./host-page.module.css";
import { PermissionRules } from "./permission-rules.tsx";
import { useStats, useRepeatedly } from "./polling.ts";

export default function HostPage(): ReactNode {
  return (
    <div className={style.page} tabIndex={0}>
      <header className={style.head}>
        <a className={style.back} href={routeHash({ place: "home" })} aria-label="Back to the sessions">
          ←
        </a>
        <h1>Host</h1>
        <button type="button" className={`${control.small} ${style.signOut}`} onClick={() => void signOut()}>
          Sign out
        </button>
      </header>
      <Charts stats={useStats()} />
      <ConnectedClients />
      <Agents />
      <PermissionRules />
      <AuditTail />
    </div>
  );
}

/** Ends this browser's sign-in, whatever becomes of the answer: the page that asks for one follows. */
async function signOut(): Promise<void> {
  try {
    await fetch("/sign-out", { method: "POST", headers: { "x-holdfast-page": "1" }, redirect: "manual" });
  } finally {
    location.assign("/");
  }
}

function Charts({ stats }: { readonly stats: readonly HostStats[] }): ReactNode {
  const newest = stats.at(-1);
  if (newest === undefined) return <p className={style.hint}>Asking the host …</p>;
  const rates = bytesPerSecond(stats);
  const counts = [
    { name: "Sessions", read: (sample: HostStats) => sample.sessions },
    { name: "Turns running", read: (sample: HostStats) => sample.turnsRunning },
    { name: "Terminals running", read: (sample: HostStats) => sample.terminalsRunning },
    { name: "Followed channels", read: (sample: HostStats) => sample.subscribers },
  ];
  return (
    <section className={style.charts} aria-label="Metrics">
      {counts.map(({ name, read }) => (
        <Sparkline key={name} name={name} values={stats.map(read)} words={String(read(newest))} />
      ))}
      <Sparkline name="Terminal output" values={rates} words={`${sizeWords(rates.at(-1) ?? 0)}/s`} />
      <Sparkline
        name="Loop delay (p99)"
        values={stats.map(({ loopDelayMs }) => loopDelayMs)}
        words={`${newest.loopDelayMs.toFixed(1)} ms`}
      />
      <Sparkline
        name="Memory"
        values={stats.map(({ memoryBytes }) => memoryBytes)}
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
            {agent.installCommand !== undefined && (
              <code className={style.command}>{agent.installCommand}</code>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A client, as the host lists it; only the fields that the page shows. */
interface ConnectedClient {
  readonly clientId: string;
  readonly name?: string;
  readonly title?: string;
  readonly dialect: string;
  readonly principal: string;
  readonly connectedAt: string;
  readonly channelCount: number;
}

const everyMs = 3000;

/** A table, the longest connected first. */
function ConnectedClients(): ReactNode {
  const own = useHost().clientId;
  const nowMs = useNow(10_000);
  const clients = useRepeatedly("/admin/clients", everyMs, readClients) ?? [];
  return (
    <section aria-label="Connected clients">
      <h2>Who is connected</h2>
      <table className={style.table}>
        <thead>
          <tr>
            <th scope="col">Since</th>
            <th scope="col">Client</th>
            <th scope="col">Speaks</th>
            <th scope="col">Follows</th>
          </tr>
        </thead>
        <tbody>
          {clients.map((client) => (
            <tr key={client.clientId}>
              <td>
                <time dateTime={client.connectedAt}>{agoWords(client.connectedAt, nowMs)}</time>
              </td>
              <td>
                {client.title ?? client.name ?? client.clientId}
                <span className={style.hint}>
                  {client.clientId === own ? " · this one" : ` · ${client.clientId}`}
                  {client.principal !== "owner" && ` · with ${client.principal}`}
                </span>
              </td>
              <td>{client.dialect === "holdfast" ? "Holdfast" : `AHP ${client.dialect}`}</td>
              <td>{client.channelCount === 1 ? "1 channel" : `${client.channelCount} channels`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function readClients(answer: unknown): readonly ConnectedClient[] {
  return (answer as { readonly clients: readonly ConnectedClient[] }).clients;
}

interface SparklineProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly words: string;
}

const width = 240;
const height = 48;

/** The chart; its scale begins at zero. */
function Sparkline({ name, values, words }: SparklineProps): ReactNode {
  const most = Math.max(...values, 1e-9);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / most) * (height - 6)).toFixed(1)}`,
  );
  return (
    <figure className={style.chart}>
      <figcaption>
        {name} <strong>{words}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${words}`}
      >
        {points.length > 1 && (
          <>
            <polygon className={style.area} points={`0,${height} ${points.join(" ")} ${width},${height}`} />
            <polyline className={style.line} points={points.join(" ")} />
          </>
        )}
      </svg>
    </figure>
  );
}
