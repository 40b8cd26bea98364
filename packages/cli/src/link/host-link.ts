// The way from a command to its host: the app API by the SDK, and AHP for what is shared live.
import { randomUUID } from "node:crypto";
import type { ClientId } from "@holdfast/ahp";
import { AhpClient, webSocketTransport } from "@holdfast/ahp/client";
import { Holdfast } from "@holdfast/sdk";
import { WebSocket } from "ws";

/** Where a host is, and what opens it. */
export interface HostPlace {
  readonly url: string;
  readonly token: string;
}

/** The way to one host. The command that opened it closes it. */
export class HostLink {
  readonly place: HostPlace;
  readonly api: Holdfast;
  /** Names this command to the host and to other clients. */
  readonly clientId: ClientId;
  #ahp: Promise<AhpClient> | undefined;
  #client: AhpClient | undefined;

  constructor(place: HostPlace) {
    this.place = place;
    this.api = new Holdfast({ baseUrl: place.url, apiKey: place.token });
    this.clientId = `cli-${randomUUID()}` as ClientId;
  }

  /** Everything that is followed live: connected at the first call, and again after each loss. */
  ahp(): Promise<AhpClient> {
    this.#ahp ??= this.#connect();
    return this.#ahp;
  }

  close(): void {
    this.#client?.close();
  }

  async #connect(): Promise<AhpClient> {
    const { url, token } = this.place;
    const address = `${url.replace(/^http/, "ws")}/ahp`;
    const client = new AhpClient({
      clientId: this.clientId,
      clientInfo: { name: "holdfast-cli", title: "Command line" },
      open: () =>
        webSocketTransport(new WebSocket(address, { headers: { authorization: `Bearer ${token}` } })),
    });
    this.#client = client;
    await client.connect();
    return client;
  }
}
