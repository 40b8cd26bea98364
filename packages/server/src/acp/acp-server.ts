// Serves ACP clients at `/acp`, over WebSockets and over streamable HTTP, on the same port as everything else.
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Log } from "@holdfast/core";
import type { ConnectedClient } from "@holdfast/protocol";
import type { Refusals } from "../auth/refusals.ts";
import type { HostPort } from "../host-port.ts";
import type { WorkLeft } from "../http/connections.ts";
import { reportError } from "../http/error-response.ts";
import type { OpenStreams } from "../http/open-streams.ts";
import type { AdmissionParts, AdmittedSocket } from "../socket/admission.ts";
import { ClientSockets, type PreparedClient } from "../socket/client-sockets.ts";
import { ACP_PATH, AcpAdmission, acpClient } from "./acp-admission.ts";
import type { AcpDeps } from "./acp-connection.ts";
import { hasChannels } from "./acp-host.ts";
import { AcpSocket } from "./acp-socket.ts";
import { AcpRoutes } from "./http-routes.ts";

export interface AcpServerOptions extends AdmissionParts {
  readonly host: HostPort;
  readonly log: Log;
  readonly refusals: Refusals;
  readonly version: string;
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
}

/** The ACP clients of one server. `close` disconnects them. */
export class AcpServer {
  readonly routes: AcpRoutes;
  readonly #admission: AcpAdmission;
  readonly #sockets: ClientSockets<AcpSocket>;

  constructor(options: AcpServerOptions) {
    const count = (): number => this.#sockets.all.size + this.routes.size;
    this.#admission = new AcpAdmission(() => makeDeps(options), count);
    this.routes = new AcpRoutes({ ...options, admission: this.#admission });
    this.#sockets = new ClientSockets({
      ...options,
      permission: "acp.agent",
      count,
      prepare: (admitted, request) => this.#prepare(admitted, request),
    });
  }

  /** Whether an upgrade is one to ACP. */
  static isFor({ url = "/" }: IncomingMessage): boolean {
    return url === ACP_PATH || url.startsWith(`${ACP_PATH}?`);
  }

  /** Connected clients that have introduced themselves. */
  get clients(): readonly ConnectedClient[] {
    const sockets = [...this.#sockets.all].map(({ connection, connected }) => ({ connection, ...connected }));
    const overHttp = this.routes.connections.map(({ id, kept: { connection, principal, since } }) => ({
      connection: connection.connection,
      id,
      principal,
      since,
    }));
    return [...sockets, ...overHttp].flatMap(({ connection, id, principal, since }) => {
      const { info, sessionCount } = connection;
      if (info === undefined) return [];
      const count = { channelCount: sessionCount };
      return [{ clientId: id, ...info, dialect: "acp", principal, connectedAt: since, ...count }];
    });
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.upgrade(request, socket, head);
  }

  /** Disconnects all clients; they come back to the next host. */
  async close(work: WorkLeft = "end"): Promise<void> {
    this.routes.close();
    await this.#sockets.close(work);
  }

  #prepare(admitted: AdmittedSocket, { url = ACP_PATH }: IncomingMessage): PreparedClient<AcpSocket> {
    const deps = this.#admission.deps();
    const client = acpClient(admitted, new URL(url, "http://host").searchParams);
    const id = randomUUID();
    const { clientId: principal } = admitted;
    return {
      headers: [`Acp-Connection-Id: ${id}`],
      open: (accepted) =>
        new AcpSocket(deps, { ...accepted, client, id, principal, since: new Date().toISOString() }),
    };
  }
}

function makeDeps({ host, version, log }: AcpServerOptions): AcpDeps | undefined {
  if (!hasChannels(host)) return undefined;
  return { host, version, report: (error) => reportError(error, log), now: () => new Date() };
}
