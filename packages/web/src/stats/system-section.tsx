// The host as a system: isolation, the keeper and what it holds, connected clients, metrics.
import type { ReactNode } from "react";
import { makeId } from "@holdfast/ahp";
import { routeHash } from "../frame/route.ts";
import { agoWords, sizeWords, useNow } from "../frame/time-words.ts";
import { useHost, useRoot } from "../host/use-host.ts";
import { levelChoice, sessionName } from "../session/session-words.ts";
import { Fold } from "../ui/fold.tsx";
import { Notice } from "../ui/notice.tsx";
import { Badge } from "../ui/status.tsx";
import style from "./host-page.module.css";
import { Metrics } from "./metrics.tsx";
import { useRepeatedly } from "./polling.ts";
import { Row, Rows, Section } from "./section.tsx";

export function SystemSection(): ReactNode {
  return (
    <>
      <IsolationSection />
      <KeeperSection />
      <ConnectedClients />
      <Fold summary="Developer metrics">
        <Metrics />
      </Fold>
    </>
  );
}

interface Readiness {
  readonly isolation?: { readonly level: string; readonly backend?: string };
  readonly policy?: "broken";
}

function IsolationSection(): ReactNode {
  const readiness = useRepeatedly("/readyz", 30_000, readReadiness);
  const isolation = readiness?.isolation;
  if (isolation === undefined) return null;
  const { name, sentence } = levelChoice(isolation.level);
  return (
    <Section title="Isolation" text="Default for new sessions.">
      <Rows label="Isolation">
        <Row
          title={
            <>
              {name}{" "}
              {isolation.backend !== undefined && isolation.backend !== "none" && (
                <Badge>{isolation.backend}</Badge>
              )}
            </>
          }
          detail={sentence}
        />
      </Rows>
      {readiness?.policy === "broken" && (
        <Notice kind="attention">
          The policy file cannot be used as it is now; the rules before its change are in force. Run{" "}
          <code>holdfast policy check</code>.
        </Notice>
      )}
    </Section>
  );
}

interface ProcessList {
  readonly keeper?: {
    readonly pid: number;
    readonly version: string;
    readonly startedAt: string;
    readonly heldBytes: number;
  };
  readonly runs: readonly {
    readonly pid: number;
    readonly state: "running" | "exited";
    readonly what: string;
    readonly session?: string;
  }[];
  readonly unowned: readonly { readonly pid: number; readonly command: string }[];
}

/** What survives a restart of the host, and what belongs to nobody any more. */
function KeeperSection(): ReactNode {
  const nowMs = useNow(10_000);
  const sessions = useRoot()?.sessions ?? [];
  const processes = useRepeatedly("/admin/processes", 5000, readProcesses);
  if (processes === undefined) return null;
  const { keeper, runs, unowned } = processes;
  if (keeper === undefined) {
    return (
      <Section title="Keeper">
        <p className={style.hint}>No keeper runs: agents and terminals end with the host.</p>
      </Section>
    );
  }
  return (
    <Section
      title="Keeper"
      text={`Process ${keeper.pid}, version ${keeper.version}, started ${startedWords(keeper.startedAt, nowMs)}; holds ${sizeWords(keeper.heldBytes)} of output. What it holds survives a restart of the host.`}
    >
      {runs.length === 0 && <p className={style.hint}>It holds nothing.</p>}
      <Rows label="Held processes">
        {runs.map(({ pid, what, state, session }) => {
          const owner = sessions.find(({ resource }) => resource === session);
          return (
            <Row
              key={pid}
              title={
                <>
                  {what} {state === "exited" && <Badge>Exited</Badge>}
                </>
              }
              detail={
                <>
                  process {pid}
                  {owner !== undefined && (
                    <>
                      {" · "}
                      <a
                        href={routeHash({ place: "session", session: makeId("session URI", owner.resource) })}
                      >
                        {sessionName(owner)}
                      </a>
                    </>
                  )}
                </>
              }
            />
          );
        })}
      </Rows>
      {unowned.length > 0 && (
        <Notice kind="attention" title="Processes without an owner">
          <ul className={style.plainList}>
            {unowned.map(({ pid, command }) => (
              <li key={pid}>
                {pid} <code>{command}</code>
              </li>
            ))}
          </ul>
          <code>holdfast stop --all</code> ends everything that this host started.
        </Notice>
      )}
    </Section>
  );
}

function startedWords(at: string, nowMs: number): string {
  const ago = agoWords(at, nowMs);
  return ago === "now" ? "just now" : `${ago} ago`;
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

/** The longest connected first. */
function ConnectedClients(): ReactNode {
  const own = useHost().clientId;
  const nowMs = useNow(10_000);
  const clients = useRepeatedly("/admin/clients", 3000, readClients) ?? [];
  return (
    <Section title="Connected clients">
      <Rows label="Connected clients">
        {clients.map((client) => (
          <Row
            key={client.clientId}
            title={
              <>
                {client.title ?? client.name ?? client.clientId}{" "}
                {client.clientId === own && <Badge tone="accent">this one</Badge>}
              </>
            }
            detail={[
              client.dialect === "holdfast" ? "Holdfast" : `AHP ${client.dialect}`,
              client.channelCount === 1 ? "follows 1 channel" : `follows ${client.channelCount} channels`,
              ...(client.principal === "owner" ? [] : [`with ${client.principal}`]),
              `connected ${agoWords(client.connectedAt, nowMs)}`,
              ...(client.clientId === own ? [] : [client.clientId]),
            ].join(" · ")}
          />
        ))}
      </Rows>
    </Section>
  );
}

function readReadiness(answer: unknown): Readiness {
  return answer as Readiness;
}

function readProcesses(answer: unknown): ProcessList {
  return (answer as { readonly processes: ProcessList }).processes;
}

function readClients(answer: unknown): readonly ConnectedClient[] {
  return (answer as { readonly clients: readonly ConnectedClient[] }).clients;
}
