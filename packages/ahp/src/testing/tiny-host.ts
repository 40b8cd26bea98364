// Fake host of two hundred lines: channels with logs, and the `holdfast` dialect over in-memory transports.
import { Connection, ErrorCode, messageFraming, RpcError } from "@holdfast/jsonrpc";
import type { Action, ChannelKind, ChannelStates } from "../model/channel.ts";
import { isId, makeId, type ClientId } from "../model/ids.ts";
import type { InputKey } from "../model/terminal/terminal.ts";
import type { ShownChannel, WireMessage, WireSnapshot } from "../dialects/dialect.ts";
import { holdfast } from "../dialects/holdfast.ts";
import { negotiate } from "../dialects/negotiate.ts";
import { advance, type StateByKind, type LoggedAction } from "../dialects/projection.ts";
import { transportSink, type MessageTransport } from "../client/transport.ts";
import { fieldsOf } from "./wire/reference.ts";

interface HostChannel {
  current: StateByKind;
  log: LoggedAction[];
  /** The number before the first entry of the log. */
  logStartSeq: number;
}

interface Peer {
  readonly connection: Connection;
  clientId: ClientId | undefined;
  readonly channels: Set<string>;
}

export class TinyHost {
  /** Refuses actions for which it gives a reason. */
  refuse: (action: Action) => string | undefined = () => undefined;
  /** Whether it says that it types input with a key once. */
  keysInput = false;
  /** The keys of the input that it got. */
  readonly inputKeys: InputKey[] = [];
  /** Sends everything twice. */
  repeats = false;
  readonly #channels = new Map<string, HostChannel>();
  readonly #peers = new Set<Peer>();
  /** For each client that it remembers, what it answered to which of its actions. */
  #clients = new Map<string, Map<number, WireMessage>>();
  #seq = 0;
  /** Every action of a client that ran, to see that none is twice. */
  readonly carriedOut: string[] = [];

  open<Kind extends ChannelKind>(uri: string, kind: Kind, state: ChannelStates[Kind]): void {
    this.#channels.set(uri, { current: { kind, state } as StateByKind, log: [], logStartSeq: this.#seq });
  }

  shut(uri: string): void {
    this.#channels.delete(uri);
  }

  state(uri: string): unknown {
    return this.#channels.get(uri)?.current.state;
  }

  /** Forgets all logs, so that only snapshots can stand for what was missed. */
  forgetLogs(): void {
    for (const channel of this.#channels.values()) {
      channel.log = [];
      channel.logStartSeq = this.#seq;
    }
  }

  /** Forgets all clients, as a restart does. */
  forgetClients(): void {
    this.#clients = new Map();
  }

  /** Applies an action as the hub does, and publishes it. */
  dispatch(uri: string, action: Action, origin?: LoggedAction["origin"]): WireMessage | undefined {
    const channel = this.#channels.get(uri);
    const step = channel && advance(channel.current, action);
    if (!channel || !step || step.before === step.after) return undefined;
    channel.current = { kind: step.kind, state: step.after } as StateByKind;
    this.#seq += 1;
    const entry = { channel: uri, action, serverSeq: this.#seq, origin };
    channel.log.push(entry);
    const [message] = holdfast.showAction(entry, step);
    for (const peer of this.#peers) if (message && peer.channels.has(uri)) this.#send(peer, message);
    return message;
  }

  /** Serves a wire. */
  accept(transport: MessageTransport): void {
    const peer: Peer = {
      clientId: undefined,
      channels: new Set(),
      connection: this.#connect(transport, () => peer),
    };
    this.#peers.add(peer);
    transport.onMessage((text) => {
      peer.connection.push(text);
    });
    transport.onClose(() => {
      this.#peers.delete(peer);
      peer.connection.end();
    });
  }

  #connect(transport: MessageTransport, peer: () => Peer): Connection {
    return new Connection({
      framing: messageFraming(),
      sink: transportSink(transport),
      requests: {
        ping: () => null,
        initialize: (params) => this.#initialize(peer(), fieldsOf(params)),
        reconnect: (params) => this.#reconnect(peer(), fieldsOf(params)),
        subscribe: (params) => ({ snapshot: this.#subscribe(peer(), String(fieldsOf(params)["channel"])) }),
        listSessions: () => ({ items: [] }),
      },
      notifications: {
        unsubscribe: (params) => {
          peer().channels.delete(String(fieldsOf(params)["channel"]));
        },
        dispatchAction: (params) => {
          this.#take(peer(), params);
        },
      },
      orderKey: () => "all",
    });
  }

  #initialize(peer: Peer, params: { readonly [field: string]: unknown }): object {
    const { clientId, initialSubscriptions } = params;
    const negotiation = negotiate(params);
    if (!negotiation.ok) throw new RpcError(negotiation.code, negotiation.message, negotiation.data);
    if (!isId("client", clientId)) throw new RpcError(ErrorCode.invalidParams, "clientId is missing");
    peer.clientId = clientId;
    this.#clients.set(clientId, new Map());
    const snapshots = this.#subscribeAll(peer, initialSubscriptions);
    const { protocolVersion, _meta } = negotiation;
    return {
      protocolVersion,
      serverSeq: this.#seq,
      snapshots,
      _meta: { ..._meta, keysInput: this.keysInput },
    };
  }

  #reconnect(peer: Peer, params: { readonly [field: string]: unknown }): object {
    const read = holdfast.readRequest("reconnect", params);
    if (!read.ok) throw new RpcError(ErrorCode.invalidParams, read.problem);
    const { clientId, lastSeenServerSeq, subscriptions } = read.value;
    if (!this.#clients.has(clientId)) throw new RpcError(holdfast.errorNumbers.notFound, "Who are you?");
    peer.clientId = makeId("client", clientId);
    const seen = fieldsOf(fieldsOf(fieldsOf(params["_meta"])["holdfast"])["seen"]);
    const known = subscriptions.filter((uri) => this.#channels.has(uri));
    const missed = known.map((uri) => this.#since(uri, Number(seen[uri] ?? lastSeenServerSeq)));
    if (missed.includes(undefined)) {
      return { type: "snapshot", snapshots: this.#subscribeAll(peer, subscriptions) };
    }
    for (const uri of known) peer.channels.add(uri);
    const entries = missed.flatMap((list) => list ?? []);
    const actions = entries.toSorted((one, other) => one.serverSeq - other.serverSeq);
    return { type: "replay", actions, missing: subscriptions.filter((uri) => !known.includes(uri)) };
  }

  #since(uri: string, afterSeq: number): readonly LoggedAction[] | undefined {
    const channel = this.#channels.get(uri);
    if (!channel || afterSeq < channel.logStartSeq || afterSeq > this.#seq) return undefined;
    return channel.log.filter(({ serverSeq }) => serverSeq > afterSeq);
  }

  #subscribeAll(peer: Peer, uris: unknown): readonly WireSnapshot[] {
    const wanted = Array.isArray(uris) ? uris.map(String) : [];
    return wanted.filter((uri) => this.#channels.has(uri)).map((uri) => this.#subscribe(peer, uri));
  }

  #subscribe(peer: Peer, uri: string): WireSnapshot {
    const channel = this.#channels.get(uri);
    const { current } = channel ?? {};
    if (!current) throw new RpcError(holdfast.errorNumbers.notFound, `There is no channel ${uri}`);
    peer.channels.add(uri);
    const shown: ShownChannel =
      current.kind === "terminal" ? { ...current, content: [{ kind: "output", text: "$ " }] } : current;
    const snapshot = holdfast.showSnapshot(uri, this.#seq, shown);
    if (!snapshot) throw new Error("The holdfast dialect shows every channel.");
    return snapshot;
  }

  /** Receives an action of a client; one that has a response gets it again and does not run again. */
  #take(peer: Peer, params: unknown): void {
    const read = holdfast.readDispatch(params);
    const answers = peer.clientId && this.#clients.get(peer.clientId);
    if (!read.ok || !peer.clientId || !answers) return;
    const { clientSeq, channel: uri } = read.value;
    const before = answers.get(clientSeq);
    const channel = this.#channels.get(uri);
    if (before) this.#send(peer, before);
    if (before || !channel) return;
    const context = { clientId: peer.clientId, at: "2026-01-01T00:00:00.000Z", ...channel.current };
    const checked = holdfast.readAction(read.value.action, context);
    const reason = checked.ok ? this.refuse(checked.action) : checked.reason;
    const origin = { clientId: peer.clientId, clientSeq };
    const published =
      checked.ok && reason === undefined ? this.dispatch(uri, checked.action, origin) : undefined;
    const key = checked.ok && checked.action.type === "terminal/input" ? checked.action.key : undefined;
    if (key !== undefined) this.inputKeys.push(key);
    if (checked.ok && reason === undefined) this.carriedOut.push(`${peer.clientId}#${clientSeq}`);
    const answer = published ?? holdfast.answerDispatch(read.value, peer.clientId, this.#seq, reason);
    answers.set(clientSeq, answer);
    if (!published) this.#send(peer, answer);
  }

  #send({ connection }: Peer, { method, params }: WireMessage): void {
    connection.notify(method, params);
    if (this.repeats) connection.notify(method, params);
  }
}
