// The page's one connection to its host, and everything that is followed over it.
import { ROOT_URI, type ChannelKind, type ClientId, type TerminalUri } from "@holdfast/ahp";
import { AhpClient, webSocketTransport, type ClientStatus, type DispatchOutcome } from "@holdfast/ahp/client";
import { TerminalStream } from "../terminal/terminal-stream.ts";
import { browserName } from "./client-id.ts";
import { ChannelStore } from "./channel-store.ts";
import { NoticeStore } from "./notice-store.ts";

export interface ConnectionView {
  readonly status: ClientStatus;
  /** Latency of the last ping. */
  readonly latencyMs?: number;
  /** Whether the page was connected before: then what it shows may be old. */
  readonly wasConnected: boolean;
  /** Whether the host refuses this browser until somebody signs in again. */
  readonly isSignedOut: boolean;
}

/** The stores of each kind of channel, by URI. */
type Stores = { readonly [Kind in ChannelKind]: Map<string, ChannelStore<Kind>> };

/** The connection. It lives as long as the page. */
export class HostConnection {
  readonly client: AhpClient;
  readonly clientId: ClientId;
  /** Notices to the person at the page. */
  readonly notices = new NoticeStore();
  readonly #stores: Stores = { root: new Map(), session: new Map(), chat: new Map(), terminal: new Map() };
  readonly #terminals = new Map<string, TerminalStream>();
  readonly #listeners = new Set<() => void>();
  #view: ConnectionView = { status: { status: "idle" }, wasConnected: false, isSignedOut: false };
  /** Stops the last request that asked whether the browser is signed in. */
  #signInCheck = new AbortController();

  constructor(clientId: ClientId, url: string) {
    this.clientId = clientId;
    this.client = new AhpClient({
      clientId,
      clientInfo: { name: "holdfast-page", title: browserName() },
      open: () => webSocketTransport(new WebSocket(url)),
      backoff: { firstMs: 250, maxMs: 5000 },
    });
    this.client.listen((event) => {
      if (event.type === "status") {
        // Until an attempt to reconnect succeeds the page is disconnected: what says so must not come and go (Z910).
        if (event.status.status === "connecting" && event.status.attempt > 0) return;
        const wasConnected = this.#view.wasConnected || event.status.status === "connected";
        const isSignedOut = this.#view.isSignedOut && event.status.status !== "connected";
        this.#become({ ...this.#view, status: event.status, wasConnected, isSignedOut });
        this.#signInCheck.abort();
        if (event.status.status === "waiting") void this.#checkSignIn();
        if (event.status.status === "connected") void this.#measure();
      } else if (event.type === "latency") this.#become({ ...this.#view, latencyMs: event.latencyMs });
    });
    // A host that cannot be talked to at all is shown by the view.
    this.client.connect().catch(() => undefined);
  }

  /** How the page stands with the host. */
  readonly view = (): ConnectionView => this.#view;

  /** Whether the host gets what is sent now: one that is slow to respond still does. */
  readonly isReachable = (): boolean => {
    const { status } = this.#view.status;
    return status === "connected" || status === "not-responding";
  };

  /** Notifies a listener of every change of the view, until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The store of a channel, shared by all who look at it. */
  channel<Kind extends ChannelKind>(uri: string, kind: Kind): ChannelStore<Kind> {
    const stores = this.#stores[kind];
    const found = stores.get(uri);
    if (found) return found;
    const made = new ChannelStore(this.client, uri, kind, () => stores.delete(uri));
    stores.set(uri, made);
    return made;
  }

  /** A terminal with its output, shared by all who look at it. */
  terminal(uri: TerminalUri): TerminalStream {
    const found = this.#terminals.get(uri);
    if (found) return found;
    const made = new TerminalStream(this.client, uri, () => this.#terminals.delete(uri));
    this.#terminals.set(uri, made);
    return made;
  }

  /** Shows a notice when the host did not accept an action; returns whether it did. */
  async reportRejection(outcome: Promise<DispatchOutcome>): Promise<boolean> {
    const made = await outcome;
    if (made.status === "rejected") this.notices.say("problem", made.reason);
    if (made.status === "lost") {
      this.notices.say(
        "problem",
        "The connection was lost before the host responded. Check whether the action took effect.",
      );
    }
    return made.status === "confirmed";
  }

  /** Shows a notice when a request failed; returns whether it succeeded. */
  async reportFailure(request: Promise<unknown>): Promise<boolean> {
    try {
      await request;
      return true;
    } catch (error) {
      this.notices.say("problem", error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  /** Asks for a sign of life at once: the client itself asks only after a silence. */
  async #measure(): Promise<void> {
    const askedMs = performance.now();
    try {
      await this.client.request("ping", { channel: ROOT_URI });
      this.#become({ ...this.#view, latencyMs: performance.now() - askedMs });
    } catch {
      // The connection is lost again, which the view shows.
    }
  }

  /** A browser does not report why a WebSocket was not opened, so the host is asked by HTTP. */
  async #checkSignIn(): Promise<void> {
    const check = new AbortController();
    this.#signInCheck = check;
    try {
      const headers = { "x-holdfast-page": "1" };
      const { status } = await fetch("/sdk/ping", { headers, signal: check.signal });
      if (!check.signal.aborted) this.#become({ ...this.#view, isSignedOut: status === 401 });
    } catch {
      // The host cannot be reached, or the connection is back.
    }
  }

  #become(view: ConnectionView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}
