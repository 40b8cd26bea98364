// Clients that the host remembers, connected or not: ids, outcomes of their actions, and what they followed.
import type { ClientId } from "@holdfast/ahp";
import type { Dialect } from "@holdfast/ahp/dialects";
import { FileGrants, type Submission, type SubmittedBy } from "@holdfast/core";
import type { AhpPort } from "../host-port.ts";
import type { ChannelView, ChannelViews } from "./channel-view.ts";

export type Outcome = Submission | Promise<Submission>;

/** How many outcomes are remembered; a client sends far fewer again. */
const maxOutcomes = 1024;

export interface ClientInfo {
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly version?: string | undefined;
}

/** Subscriptions that a client left behind when its connection was lost. */
export interface LeftBehind {
  /** The channels that it followed, in their views, which are held for it. */
  readonly views: readonly ChannelView[];
  /** The number since which the client has seen each channel whole: no log has a terminal's earlier output. */
  readonly wholeSince: ReadonlyMap<string, number>;
}

/** A client from its `initialize` on, over all its connections. */
export class ClientRecord {
  readonly clientId: ClientId;
  /** Names the credential that it came with: nobody else speaks for it. */
  readonly principal: string;
  readonly dialect: Dialect;
  readonly info: ClientInfo;
  left: LeftBehind | undefined;
  /** Its grants for files outside of the sessions' folders. */
  readonly fileGrants = new FileGrants();
  readonly #outcomes = new Map<number, Outcome>();
  #forgottenSeq = -1;

  constructor(clientId: ClientId, principal: string, dialect: Dialect, info: ClientInfo = {}) {
    this.clientId = clientId;
    this.principal = principal;
    this.dialect = dialect;
    this.info = info;
  }

  /** The submitter of the client's requests. */
  get submitter(): SubmittedBy {
    return { actor: { kind: "client", clientId: this.clientId } };
  }

  /** The outcome of an action that was sent before; `"forgotten"` when that is too long ago (E72). */
  outcomeOf(clientSeq: number): Outcome | "forgotten" | undefined {
    return this.#outcomes.get(clientSeq) ?? (clientSeq <= this.#forgottenSeq ? "forgotten" : undefined);
  }

  note(clientSeq: number, outcome: Outcome): void {
    this.#outcomes.set(clientSeq, outcome);
    if (outcome instanceof Promise) {
      void outcome.then((settled) => {
        if (this.#outcomes.get(clientSeq) === outcome) this.#outcomes.set(clientSeq, settled);
      });
    }
    if (this.#outcomes.size <= maxOutcomes) return;
    const [oldest] = this.#outcomes.keys();
    if (oldest === undefined) return;
    this.#outcomes.delete(oldest);
    this.#forgottenSeq = Math.max(this.#forgottenSeq, oldest);
  }
}

/** A connection, as far as its client is concerned. */
export interface ClientConnection {
  /** Ends it because the client has connected again. */
  replace(): void;
}

const maxGone = 256;
const maxNames = 10_000;

/** The clients of one host. `close` forgets them. */
export class ClientRecords {
  readonly #port: AhpPort;
  readonly #views: ChannelViews;
  readonly #memoryMs: number;
  readonly #records = new Map<string, ClientRecord>();
  readonly #connections = new Map<string, Map<ClientConnection, ClientRecord>>();
  /** Whose name is whose, also for clients that are no longer remembered otherwise. */
  readonly #owners = new Map<string, string>();
  /** Clients that are gone, the longest first. */
  readonly #gone = new Map<ClientRecord, NodeJS.Timeout>();

  /** `memoryMs` is how long a client is remembered after its last connection. */
  constructor(port: AhpPort, views: ChannelViews, memoryMs: number) {
    this.#port = port;
    this.#views = views;
    this.#memoryMs = memoryMs;
  }

  /** Whether a name is free for this principal: a client name belongs to its first user, a principal's name to that principal. */
  isFree(clientId: string, principal: string): boolean {
    if (isPrincipalName(clientId)) return clientId === principal;
    return (this.#owners.get(clientId) ?? principal) === principal;
  }

  /** A client begins: nothing that it did before counts any more. */
  begin(record: ClientRecord, connection: ClientConnection): void {
    const earlier = this.#records.get(record.clientId);
    if (earlier !== undefined) this.#forget(earlier);
    this.#records.set(record.clientId, record);
    this.#noteOwner(record);
    this.#join(record, connection);
  }

  /** A client that was here before; undefined when it is not remembered, or was somebody else's. */
  find(clientId: string, principal: string): ClientRecord | undefined {
    const record = this.#records.get(clientId);
    return record?.principal === principal ? record : undefined;
  }

  /** A client is back; connections that it left open are closed. */
  resume(record: ClientRecord, connection: ClientConnection): void {
    for (const [other, owner] of this.#connections.get(record.clientId) ?? []) {
      if (owner === record) other.replace();
    }
    this.#join(record, connection);
  }

  /** A connection is over. For a time the host keeps what the client needs to resume it. */
  leave(record: ClientRecord, connection: ClientConnection, left: LeftBehind): void {
    const { clientId } = record;
    const connections = this.#connections.get(clientId);
    connections?.delete(connection);
    if (connections?.size === 0) this.#connections.delete(clientId);
    const isCurrent = this.#records.get(clientId) === record;
    const isBack = [...(connections?.values() ?? [])].includes(record);
    if (!isCurrent || isBack) this.#giveBack(left);
    else this.#remember(record, left);
    if (this.#connections.has(clientId)) return;
    this.#port.claims.gone(clientId);
    this.#port.clientTools.disconnected(clientId);
  }

  /** Frees the names of a credential that was revoked: nobody can speak for it any more. */
  release(principal: string): void {
    for (const [clientId, owner] of this.#owners) if (owner === principal) this.#owners.delete(clientId);
  }

  /** A client whose connection is over does not resume it: sessions do not list it any more. */
  goneForGood({ clientId }: ClientRecord): void {
    if (!this.#connections.has(clientId)) this.#port.sessions.removeClient(clientId);
  }

  close(): void {
    for (const record of this.#gone.keys()) this.#forget(record);
  }

  #join(record: ClientRecord, connection: ClientConnection): void {
    const { clientId } = record;
    clearTimeout(this.#gone.get(record));
    this.#gone.delete(record);
    const connections = this.#connections.get(clientId) ?? new Map<ClientConnection, ClientRecord>();
    this.#connections.set(clientId, connections.set(connection, record));
    this.#port.claims.back(clientId);
    this.#port.clientTools.connected(clientId);
  }

  #noteOwner({ clientId, principal }: ClientRecord): void {
    this.#owners.delete(clientId);
    this.#owners.set(clientId, principal);
    const [longest] = this.#owners.keys();
    if (this.#owners.size > maxNames && longest !== undefined) this.#owners.delete(longest);
  }

  #remember(record: ClientRecord, left: LeftBehind): void {
    record.left = left;
    const timer = setTimeout(() => this.#expire(record), this.#memoryMs);
    timer.unref();
    this.#gone.set(record, timer);
    const [longest] = this.#gone.keys();
    if (this.#gone.size > maxGone && longest !== undefined) this.#expire(longest);
  }

  #expire(record: ClientRecord): void {
    this.#forget(record);
    this.#port.sessions.removeClient(record.clientId);
  }

  #forget(record: ClientRecord): void {
    clearTimeout(this.#gone.get(record));
    this.#gone.delete(record);
    if (this.#records.get(record.clientId) === record) this.#records.delete(record.clientId);
    if (record.left !== undefined) this.#giveBack(record.left);
    record.left = undefined;
  }

  #giveBack({ views }: LeftBehind): void {
    for (const view of views) this.#views.giveBack(view);
  }
}

/** Whether a client may have a name at all; a principal's own is the name of what it does over HTTP. */
function isPrincipalName(clientId: string): boolean {
  return clientId === "owner" || clientId.startsWith("key:") || clientId.startsWith("app:");
}
