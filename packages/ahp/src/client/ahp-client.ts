// A client of a host that survives lost connections: it mirrors channels, applies its own actions at once, and comes back.
import type { ChannelKind } from "../model/channel.ts";
import { ClientError, closedError } from "./client-error.ts";
import { type ChannelHandle, FollowedChannels } from "./followed-channels.ts";
import { shakeHands, type HandshakeOutcome } from "./handshake.ts";
import { HostSilentError, Link, type LinkListener, type Timeouts } from "./link.ts";
import type { ClientInfo, HostMethods, InitializeResult, OpenMethod } from "./methods.ts";
import type { ChannelListener } from "./subscription.ts";
import {
  backoffMs,
  defaultBackoff,
  realTiming,
  restartBackoff,
  restartBoundMs,
  type Backoff,
  type Timing,
} from "./timing.ts";
import { type MessageTransport, RESTARTING, SocketError } from "./transport.ts";

/** Options of a client. */
export interface AhpClientOptions {
  /** Opens a connection to the host; called again after each loss. */
  readonly open: () => Promise<MessageTransport>;
  /** Names this client to the host, the same after each loss and different from all others. */
  readonly clientId: string;
  readonly clientInfo?: ClientInfo;
  readonly backoff?: Backoff;
  readonly timeouts?: Timeouts;
  /** How many actions may wait for the host's answer; one more is lost at once. Default 1024. */
  readonly maxPendingActions?: number;
  readonly timing?: Timing;
}

/** How the client stands with the host. */
export type ClientStatus =
  | { readonly status: "idle" }
  | { readonly status: "connecting"; readonly attempt: number }
  | { readonly status: "connected"; readonly host: InitializeResult }
  /**
   * The host has sent nothing for 5 s, although it was asked to: connected or while connecting. It lasts until the
   * host sends something, or until connections fail in another way; requests and actions are sent when it is back.
   */
  | {
      readonly status: "not-responding";
      /** When the host was last heard, or the first attempt began, in milliseconds of the epoch. */
      readonly silentSinceMs: number;
      /** Absent where there was no connection before. */
      readonly host: InitializeResult | undefined;
    }
  /** The connection is lost; the next attempt comes after the wait. */
  | {
      readonly status: "waiting";
      readonly attempt: number;
      readonly delayMs: number;
      readonly cause: unknown;
    }
  /** Nothing more will happen; with a cause the host cannot be talked to at all. */
  | { readonly status: "closed"; readonly cause?: unknown };

/** An event of the client itself. */
export type ClientEvent =
  | { readonly type: "status"; readonly status: ClientStatus }
  | { readonly type: "latency"; readonly latencyMs: number }
  | { readonly type: "problem"; readonly error: unknown };

/** How a channel is followed. */
export interface SubscribeOptions<Kind extends ChannelKind> {
  readonly onEvent?: ChannelListener<Kind>;
}

const defaultTimeouts: Timeouts = {
  pingAfterMs: 2_500,
  notRespondingAfterMs: 5_000,
  giveUpAfterMs: 20_000,
};
const DEFAULT_MAX_PENDING = 1024;

/** A client of one host. */
export class AhpClient {
  readonly #options: AhpClientOptions;
  readonly #timing: Timing;
  readonly #timeouts: Timeouts;
  readonly #channels: FollowedChannels;
  readonly #listeners = new Set<(event: ClientEvent) => void>();
  #status: ClientStatus = { status: "idle" };
  #link: Link | undefined;
  /** Since when nothing was heard, while the host counts as not responding. */
  #silentSinceMs: number | undefined;
  /** Until then, the host is expected back at any moment. */
  #restartedMs = 0;
  #host: InitializeResult | undefined;
  #stopWaiting: () => void = () => undefined;
  #stopOpening: () => void = () => undefined;

  constructor(options: AhpClientOptions) {
    const { clientId, maxPendingActions = DEFAULT_MAX_PENDING, timing = realTiming } = options;
    this.#options = options;
    this.#timeouts = options.timeouts ?? defaultTimeouts;
    this.#timing = timing;
    this.#channels = new FollowedChannels(clientId, maxPendingActions);
  }

  /** How the client stands with the host. */
  get status(): ClientStatus {
    return this.#status;
  }

  /** Calls a listener for each event of the client, until the returned function is called. */
  listen(listener: (event: ClientEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Connects, and stays connected; resolves with the first handshake, rejects when the host cannot be talked to. */
  connect(): Promise<InitializeResult> {
    if (this.#status.status !== "idle") {
      return Promise.reject(new ClientError("closed", "A client connects once."));
    }
    return new Promise((resolve, reject) => {
      const stop = this.listen((event) => {
        if (event.type !== "status") return;
        if (event.status.status === "connected") resolve(event.status.host);
        else if (event.status.status === "closed") reject(closedError(event.status.cause));
        else return;
        stop();
      });
      void this.#run();
    });
  }

  /** Follows a channel from its state on; rejects when the host has no such channel. */
  subscribe<Kind extends ChannelKind>(
    uri: string,
    kind: Kind,
    { onEvent = () => undefined }: SubscribeOptions<Kind> = {},
  ): Promise<ChannelHandle<Kind>> {
    if (this.#status.status === "closed") return Promise.reject(closedError(this.#status.cause));
    return this.#channels.subscribe(uri, kind, onEvent);
  }

  /** Asks the host something; rejects at once when there is no connection. */
  request<Method extends OpenMethod>(
    method: Method,
    params: HostMethods["requests"][Method]["params"],
  ): Promise<HostMethods["requests"][Method]["result"]> {
    const { link } = this.#channels;
    if (link) return link.request(method, params);
    return Promise.reject(new ClientError("not-connected", "There is no connection to the host just now."));
  }

  /** Ends the wait before the next attempt: the host is known to be there. */
  connectNow(): void {
    if (this.#status.status === "waiting") this.#stopWaiting();
  }

  /** Ends everything; what the host has not answered is lost, and fails with the cause if there is one. */
  close(cause?: Error): void {
    this.#end(cause);
  }

  async #run(): Promise<void> {
    for (let attempt = 0; !this.#isClosed(); attempt += 1) {
      this.#become({ status: "connecting", attempt });
      const { cause, hasConnected } = await this.#connectOnce();
      if (!(cause instanceof HostSilentError)) this.#silentSinceMs = undefined;
      if (isFinal(cause)) this.#end(cause);
      if (this.#isClosed()) return;
      if (hasConnected) attempt = 0;
      if (cause instanceof SocketError && cause.code === RESTARTING) {
        this.#restartedMs = this.#timing.nowMs() + restartBoundMs;
      }
      await this.#wait(attempt, cause);
    }
  }

  /** One connection from its beginning to its end. */
  async #connectOnce(): Promise<{ cause: unknown; hasConnected: boolean }> {
    let hasConnected = false;
    try {
      const transport = await this.#open();
      const link = new Link(transport, this.#linkListener(), this.#timing, this.#timeouts);
      this.#link = link;
      if (this.#isClosed()) link.close();
      this.#settleIn(link, await this.#shakeHands(link));
      hasConnected = true;
      const error = await link.closed;
      return { cause: error.cause ?? error, hasConnected };
    } catch (error) {
      this.#link?.close(error);
      this.#emit({ type: "problem", error });
      return { cause: error, hasConnected };
    } finally {
      this.#link = undefined;
      this.#channels.disconnect();
    }
  }

  /** Opens a connection within the time that a host may be silent; one that opens later is closed (E220). */
  #open(): Promise<MessageTransport> {
    const { notRespondingAfterMs, giveUpAfterMs } = this.#timeouts;
    const startedMs = this.#timing.nowMs();
    const opening = this.#options.open();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        reject(new HostSilentError("The host does not accept the connection."));
        opening.then(
          (transport) => transport.close(),
          () => undefined,
        );
      };
      let stopTimer = this.#timing.after(notRespondingAfterMs, () => {
        this.#noteSilence(startedMs);
        stopTimer = this.#timing.after(giveUpAfterMs - notRespondingAfterMs, giveUp);
      });
      this.#stopOpening = () => {
        stopTimer();
        giveUp();
      };
      opening.then(resolve, reject).finally(() => {
        stopTimer();
        this.#stopOpening = () => undefined;
      });
    });
  }

  #shakeHands(link: Link): Promise<HandshakeOutcome> {
    const { clientId, clientInfo } = this.#options;
    const { lastSeenSeq, seen } = this.#channels;
    return shakeHands(link, {
      clientId,
      clientInfo,
      hasConnected: this.#host !== undefined,
      lastSeenSeq,
      seen,
    });
  }

  /** Takes what the handshake brought, then the actions that followed it, and sends what waits. */
  #settleIn(
    link: Link,
    { host = this.#host, snapshots, actions, gone, isRemembered }: HandshakeOutcome,
  ): void {
    if (!host) throw new ClientError("malformed", "The host did not say who it is.");
    this.#host = host;
    for (const snapshot of snapshots) this.#channels.takeSnapshot(snapshot);
    for (const envelope of actions) this.#channels.takeAction(envelope);
    link.deliverActions();
    for (const uri of gone) this.#channels.drop(uri);
    // A listener may have seen what it waited for.
    if (this.#isClosed()) return;
    this.#channels.connect(link, { isRemembered, keysInput: host._meta?.["keysInput"] === true });
    this.#silentSinceMs = undefined;
    this.#become({ status: "connected", host });
    this.#channels.askForUnseen();
  }

  #linkListener(): LinkListener {
    return {
      action: (envelope) => {
        this.#channels.takeAction(envelope);
      },
      latency: (latencyMs) => {
        this.#emit({ type: "latency", latencyMs });
      },
      responding: (isResponding) => {
        if (!isResponding) return this.#noteSilence(this.#link?.lastHeardMs ?? this.#timing.nowMs());
        this.#silentSinceMs = undefined;
        if (this.#channels.link && this.#host) this.#become({ status: "connected", host: this.#host });
      },
      problem: (error) => {
        this.#emit({ type: "problem", error });
      },
    };
  }

  #wait(attempt: number, cause: unknown): Promise<void> {
    const { backoff = defaultBackoff } = this.#options;
    const isRestarting = this.#timing.nowMs() < this.#restartedMs;
    const delayMs = backoffMs(isRestarting ? restartBackoff : backoff, attempt, this.#timing.random());
    this.#become({ status: "waiting", attempt, delayMs, cause });
    return new Promise((resolve) => {
      const cancel = this.#timing.after(delayMs, resolve);
      this.#stopWaiting = () => {
        cancel();
        resolve();
      };
    });
  }

  #end(cause: unknown): void {
    if (this.#isClosed()) return;
    this.#become({ status: "closed", ...(cause !== undefined && { cause }) });
    this.#stopWaiting();
    this.#stopOpening();
    this.#link?.close(cause);
    this.#channels.dropAll(closedError(cause));
    this.#listeners.clear();
  }

  #isClosed(): boolean {
    return this.#status.status === "closed";
  }

  #noteSilence(sinceMs: number): void {
    if (this.#isClosed()) return;
    // While the host stays silent, further attempts do not change since when.
    this.#silentSinceMs ??= sinceMs;
    this.#become({ status: "not-responding", silentSinceMs: this.#silentSinceMs, host: this.#host });
  }

  #become(status: ClientStatus): void {
    const isAttempt = status.status === "connecting" || status.status === "waiting";
    // An attempt that follows on silence is no news: the host still does not respond.
    if (isAttempt && this.#silentSinceMs !== undefined) return;
    const isRepeated = status.status === "not-responding" && this.#status.status === "not-responding";
    this.#status = status;
    if (!isRepeated) this.#emit({ type: "status", status });
  }

  #emit(event: ClientEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

/** Whether it would be the same however often it is tried. */
function isFinal(cause: unknown): boolean {
  return cause instanceof ClientError && (cause.kind === "unsupported" || cause.kind === "refused");
}
