// The way from a command to its host: the app API by the SDK, and AHP for what is shared live.
import { randomUUID } from "node:crypto";
import type { ClientId } from "@holdfast/ahp";
import { AhpClient, ClientError, webSocketTransport, type MessageTransport } from "@holdfast/ahp/client";
import { Holdfast } from "@holdfast/sdk";

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
  /** Whether a host that stops responding is waited for. */
  #waits = false;

  constructor(place: HostPlace) {
    this.place = place;
    this.api = new Holdfast({ baseUrl: place.url, apiKey: place.token });
    this.clientId = `cli-${randomUUID()}` as ClientId;
  }

  /**
   * Everything that is followed live: connected at the first call, and again after each loss; rejects if not let in.
   * A host that does not respond ends the client (C224), unless the command waits for it to come back.
   */
  ahp({ waits = false }: { readonly waits?: boolean } = {}): Promise<AhpClient> {
    this.#waits ||= waits;
    this.#ahp ??= this.#connect();
    return this.#ahp;
  }

  close(): void {
    this.#client?.close();
  }

  async #connect(): Promise<AhpClient> {
    const client = new AhpClient({
      clientId: this.clientId,
      clientInfo: { name: "holdfast-cli", title: "Command line" },
      open: () => openSocket(this.place),
    });
    this.#client = client;
    let hasConnected = false;
    client.listen((event) => {
      if (event.type !== "status" || event.status.status !== "not-responding") return;
      if (!this.#waits || !hasConnected) client.close(notResponding(this.place));
    });
    await client.connect();
    hasConnected = true;
    return client;
  }
}

function notResponding({ url }: HostPlace): ClientError {
  return new ClientError("not-responding", `The host at ${url} has not responded for 5 s.`);
}

async function openSocket({ url, token }: HostPlace): Promise<MessageTransport> {
  // Only now: most commands need none.
  const { WebSocket } = await import("ws");
  const address = `${url.replace(/^http/, "ws")}/ahp`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${token}` } });
  let status = 0;
  socket.once("unexpected-response", (_request, response) => {
    status = response.statusCode ?? 0;
    // With this listener, `ws` leaves ending it to us.
    socket.terminate();
  });
  try {
    return await webSocketTransport(socket);
  } catch (cause) {
    if (status !== 401 && status !== 403) throw cause;
    const message = "The host does not let this caller follow what is live: the owner and `admin` keys may.";
    throw new ClientError("refused", message, { cause });
  }
}
