// Who is connected to the host.
import type { ReactNode } from "react";
import { agoWords } from "../frame/time-words.ts";
import { useNow } from "../frame/use-now.ts";
import { useHost } from "../host/use-host.ts";
import style from "./host-page.module.css";
import { useRepeatedly } from "./use-repeatedly.ts";

/** A client, as the host tells of it; only what the page shows. */
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
export function ConnectedClients(): ReactNode {
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
