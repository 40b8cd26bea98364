// All clients that the host remembers, connected or not, and which name belongs to whom.
import type { AhpPort } from "../host-port.ts";
import type { ChannelViews } from "./channel-views.ts";
import type { ClientRecord, LeftBehind } from "./client-record.ts";

/** A connection, as far as its client is concerned. */
export interface ClientConnection {
  /** Ends it because the client is connected anew. */
  replace(): void;
}

/** What the records need. */
export interface ClientRecordsParts {
  readonly port: AhpPort;
  readonly views: ChannelViews;
  /** How long a client that is gone is remembered. */
  readonly memoryMs: number;
}

/** How many clients that are gone are remembered. */
const maxGone = 256;
/** How many names of clients are remembered. */
const maxNames = 10_000;

/** The clients of one host. `close` forgets them. */
export class ClientRecords {
  readonly #parts: ClientRecordsParts;
  readonly #records = new Map<string, ClientRecord>();
  readonly #connections = new Map<string, Map<ClientConnection, ClientRecord>>();
  /** Whose name is whose, also for clients that are no longer remembered otherwise. */
  readonly #owners = new Map<string, string>();
  /** Clients that are gone, the longest first. */
  readonly #gone = new Map<ClientRecord, NodeJS.Timeout>();

  constructor(parts: ClientRecordsParts) {
    this.#parts = parts;
  }

  /** Whether a name is free for this principal: a client's belongs to whoever used it first, a principal's to itself. */
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

  /** A client is back; whatever it left open is closed. */
  resume(record: ClientRecord, connection: ClientConnection): void {
    for (const [other, owner] of this.#connections.get(record.clientId) ?? []) {
      if (owner === record) other.replace();
    }
    this.#join(record, connection);
  }

  /** A connection is over. The host holds for a time what is needed to take it up again. */
  leave(record: ClientRecord, connection: ClientConnection, left: LeftBehind): void {
    const { clientId } = record;
    const connections = this.#connections.get(clientId);
    connections?.delete(connection);
    if (connections?.size === 0) this.#connections.delete(clientId);
    const isCurrent = this.#records.get(clientId) === record;
    const isBack = [...(connections?.values() ?? [])].includes(record);
    if (!isCurrent || isBack) this.#giveBack(left);
    else this.#remember(record, left);
    if (!this.#connections.has(clientId)) this.#parts.port.terminals.clientGone(clientId);
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
    this.#parts.port.terminals.clientBack(clientId);
  }

  #noteOwner({ clientId, principal }: ClientRecord): void {
    this.#owners.delete(clientId);
    this.#owners.set(clientId, principal);
    const [longest] = this.#owners.keys();
    if (this.#owners.size > maxNames && longest !== undefined) this.#owners.delete(longest);
  }

  #remember(record: ClientRecord, left: LeftBehind): void {
    record.left = left;
    const timer = setTimeout(() => this.#expire(record), this.#parts.memoryMs);
    timer.unref();
    this.#gone.set(record, timer);
    const [longest] = this.#gone.keys();
    if (this.#gone.size > maxGone && longest !== undefined) this.#expire(longest);
  }

  #expire(record: ClientRecord): void {
    this.#forget(record);
    this.#parts.port.sessions.removeClient(record.clientId);
  }

  #forget(record: ClientRecord): void {
    clearTimeout(this.#gone.get(record));
    this.#gone.delete(record);
    if (this.#records.get(record.clientId) === record) this.#records.delete(record.clientId);
    if (record.left !== undefined) this.#giveBack(record.left);
    record.left = undefined;
  }

  #giveBack({ views }: LeftBehind): void {
    for (const view of views) this.#parts.views.giveBack(view);
  }
}

/** Whether a client may have a name at all; a principal's own is the name of what it does over HTTP. */
function isPrincipalName(clientId: string): boolean {
  return clientId === "owner" || clientId.startsWith("key:") || clientId.startsWith("app:");
}
