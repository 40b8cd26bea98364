// The way from a command to its host: the app API by the SDK, and AHP for what is shared live.
import { randomUUID } from "node:crypto";
import type { ClientId } from "@holdfast/ahp";
import { AhpClient, ClientError, webSocketTransport, type MessageTransport } from "@holdfast/ahp/client";
import { Holdfast } from "@holdfast/sdk";
import { messageOf } from "../command-error.ts";
import { HostRevival, type HostRevivalParts } from "./host-revival.ts";

/** Where a host is, and what opens it. */
export interface HostPlace {
  readonly url: string;
  readonly token: string;
}

type HostRecovery = Pick<HostRevivalParts, "revive" | "note">;

/** How long attempts may fail before there was any connection (C885). */
const giveUpAfterMs = 5_000;

/** The way to one host. The command that opened it closes it. */
export class HostLink {
  /** Names the host in the addresses of the SDK, also when it listens elsewhere by now. */
  readonly #firstUrl: string;
  #place: HostPlace;
  readonly #revival: HostRevival | undefined;
  #note: (line: string) => void;
  readonly api: Holdfast;
  /** Names this command to the host and to other clients. */
  readonly clientId: ClientId;
  #ahp: Promise<AhpClient> | undefined;
  #client: AhpClient | undefined;
  /** Whether a host that stops responding is waited for. */
  #waits = false;

  /** With `recovery`, a host that crashed is started again while a command waits for it (C863). */
  constructor(place: HostPlace, recovery?: HostRecovery) {
    this.#firstUrl = place.url;
    this.#place = place;
    this.#note = recovery?.note ?? (() => undefined);
    this.#revival =
      recovery &&
      new HostRevival({
        revive: recovery.revive,
        note: (line) => this.#note(line),
        onFound: (found) => {
          this.#place = found;
          this.#client?.connectNow();
        },
      });
    this.api = new Holdfast({
      baseUrl: place.url,
      apiKey: place.token,
      fetch: (input, init) => this.#fetch(input, init),
    });
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

  get place(): HostPlace {
    return this.#place;
  }

  /** Has lines about the host shown elsewhere, until the returned function is called. */
  showNotes(note: (line: string) => void): () => void {
    const before = this.#note;
    this.#note = note;
    return () => {
      this.#note = before;
    };
  }

  close(): void {
    this.#revival?.close();
    this.#client?.close();
  }

  async #fetch(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
    const isMoved = this.#place.url !== this.#firstUrl && typeof input === "string";
    const address = isMoved ? input.replace(this.#firstUrl, this.#place.url) : input;
    try {
      const response = await fetch(address, init);
      this.#revival?.connectionOpened();
      return response;
    } catch (error) {
      if (init?.signal?.aborted !== true) this.#revival?.connectionFailed();
      throw error;
    }
  }

  async #open(): Promise<MessageTransport> {
    try {
      const transport = await openSocket(this.#place);
      this.#revival?.connectionOpened();
      return transport;
    } catch (error) {
      this.#revival?.connectionFailed();
      throw error;
    }
  }

  async #connect(): Promise<AhpClient> {
    const client = new AhpClient({
      clientId: this.clientId,
      clientInfo: { name: "holdfast-cli", title: "Command line" },
      open: () => this.#open(),
    });
    this.#client = client;
    let hasConnected = false;
    client.listen((event) => {
      if (event.type !== "status" || event.status.status !== "not-responding") return;
      if (!this.#waits || !hasConnected) client.close(notResponding(this.place));
    });
    const stopWaiting = this.#giveUpLater(client);
    await client.connect().finally(stopWaiting);
    hasConnected = true;
    return client;
  }

  /** Closes a client whose attempts have failed for 5 s, until the returned function is called (C885). */
  #giveUpLater(client: AhpClient): () => void {
    let timer: NodeJS.Timeout | undefined;
    let lastCause: unknown;
    let isOver = false;
    const giveUp = async (): Promise<void> => {
      const isStartedAgain = (await this.#revival?.outcome) === true;
      if (isOver) return;
      if (isStartedAgain) timer?.refresh();
      else client.close(noWebSocket(this.place, lastCause));
    };
    const stopListening = client.listen((event) => {
      if (event.type !== "status" || event.status.status !== "waiting") return;
      lastCause = event.status.cause;
      timer ??= setTimeout(() => void giveUp(), giveUpAfterMs);
    });
    return () => {
      isOver = true;
      stopListening();
      clearTimeout(timer);
    };
  }
}

function notResponding({ url }: HostPlace): ClientError {
  return new ClientError("not-responding", `The host at ${url} has not responded for 5 s.`);
}

function noWebSocket({ url }: HostPlace, cause: unknown): ClientError {
  const reason = messageOf(cause);
  const sentence = `The host at ${url} opened no WebSocket for 5 s${reason === "" ? "" : `: ${reason}`}.`;
  return new ClientError("not-connected", sentence, { cause });
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
    throw status === 0 ? cause : rejection(url, status, cause);
  }
}

/** The error for an HTTP response in place of a WebSocket; only a limit and a server's error may pass. */
function rejection(url: string, status: number, cause: unknown): Error {
  if (status === 401 || status === 403) {
    const message =
      "This credential cannot follow live updates: only the owner's token and `admin` keys can.";
    return new ClientError("refused", message, { cause });
  }
  if (status === 429 || status >= 500) return new Error(`it answered with status ${status}`, { cause });
  const message =
    `The host at ${url} answered the request for a WebSocket with status ${status}. ` +
    "A proxy must forward WebSocket upgrades.";
  return new ClientError("unsupported", message, { cause });
}
