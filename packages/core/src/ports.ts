// The storage port: plain types without a database. An implementation imports only this.
import type { Action, ChannelKind, ChannelStates, SessionSummary, SessionUri, Turn } from "@holdfast/ahp";
import type { ChainLink } from "@holdfast/terminal/acp-parts";
import type { AuditEntry, AuditStore } from "./audit/audit.ts";
import type { Journal, RunText, SequenceSource } from "./channel/journal.ts";
import type { ActionOrigin } from "./channel/log-entry.ts";
import type { TurnPage } from "./storage/omitted-turns.ts";

export type { AuditEntry, AuditStore } from "./audit/audit.ts";
export { CHAIN_START, ChainCheck, chainHash, type ChainLink } from "@holdfast/terminal/acp-parts";
export type { StateByKind } from "./channel/channel.ts";
export type { Journal, JournalRecord, RunProgress, RunText } from "./channel/journal.ts";
export { LogEntry, type ActionOrigin } from "./channel/log-entry.ts";
export type { SequenceSource } from "./channel/journal.ts";
export { changedOwner, initialSession, type ChannelOwner } from "./storage/stored-channel.ts";
export { isDurable } from "./storage/durable.ts";
export { checkByKind, reduceByKind } from "./storage/stored-channel.ts";
export { omittedTurns, turnsBefore, type TurnPage } from "./storage/omitted-turns.ts";
export { searchDocument, type SearchDocument } from "./search/search-document.ts";
export { StorageError, type StorageErrorCode } from "./storage/storage-error.ts";
export type { SpoolExtent, SpoolSlice, TerminalSpool } from "./storage/terminal-spool.ts";

/** A channel of one kind as it was kept. */
export interface StoredChannelOf<Kind extends ChannelKind> {
  readonly uri: string;
  readonly kind: Kind;
  readonly state: ChannelStates[Kind];
  /** The number of the last action in the state; 0 when there was none. */
  readonly seq: number;
  /** False once the hub has closed it, or a session is over; a host that stops or dies closes nothing. */
  readonly isOpen: boolean;
}

/** A channel of any kind as it was kept. */
export type StoredChannel = { readonly [Kind in ChannelKind]: StoredChannelOf<Kind> }[ChannelKind];

/** An action as it was kept, with the number under which it was published. */
export interface StoredAction {
  readonly serverSeq: number;
  readonly action: Action;
  readonly origin: ActionOrigin | undefined;
  readonly atMs: number;
}

/** A piece of a channel's log. */
export interface LogPage {
  readonly entries: readonly StoredAction[];
  /** Whether there are more after the last entry. */
  readonly hasMore: boolean;
  /** False when actions between the wanted place and the first entry are no longer kept: the reader needs the state. */
  readonly isComplete: boolean;
}

/** A turn to look for in a log: by its id, the last one that began up to a number, or the first that did from one on. */
export type WantedTurn =
  | { readonly turnId: string }
  | { readonly atOrBefore: number }
  | { readonly atOrAfter: number };

/** A turn to look for among those that left a chat's state: by its id, or by the name that its sender gave it. */
export type WantedOmittedTurn = { readonly turnId: string } | { readonly requestKey: string };

/** A session in the list of those that are kept. */
export interface StoredSession {
  readonly summary: SessionSummary;
  readonly isOpen: boolean;
}

/** Which sessions to list. */
export interface SessionQuery {
  readonly isOpen?: boolean;
  /** Default 100. */
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** Sessions, those with the newest activity first. */
export interface SessionPage {
  readonly sessions: readonly StoredSession[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** The removed items, so that what is kept elsewhere can go with them. */
export interface Purged {
  readonly sessions: readonly string[];
  /** Terminals whose output the spool may still hold. */
  readonly terminals: readonly string[];
}

/** How long and how much to keep. Only sessions that are not open are removed. */
export interface Retention {
  readonly nowMs: number;
  /** Sessions without activity for longer are removed. */
  readonly maxAgeMs?: number;
  /** Above this, the oldest sessions are removed; if that is not enough, logs go and states stay. */
  readonly maxBytes?: number;
  readonly auditMaxAgeMs?: number;
  /** The size of one call's work, so that nobody waits long. Default 20 sessions. */
  readonly maxSessions?: number;
}

/** The result of a call to `prune`; it is called again until it is done. */
export interface Pruned extends Purged {
  readonly isDone: boolean;
}

/** An entry of the audit with its place. */
export interface AuditRecord {
  readonly id: number;
  readonly entry: AuditEntry;
  /** Covers the entry, its id and the hash before it; absent where it was lost. */
  readonly hash?: string;
}

/** Which entries of the audit to read. */
export interface AuditQuery {
  /** Only those after this id, oldest first. Without it: the newest, oldest first. */
  readonly after?: number | undefined;
  readonly session?: string | undefined;
  readonly what?: string | undefined;
  /** Only those recorded at this moment or later. */
  readonly since?: string | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
}

/** The ends of the chain of hashes. */
export interface AuditChain {
  /** Where it begins: before the first entry, or with the last one that retention removed. */
  readonly anchor: ChainLink;
  /** The newest entry; the anchor where there is none. */
  readonly head: ChainLink;
}

/** The record of what was done; it outlives the sessions it speaks of. */
export interface AuditTrail extends AuditStore {
  read(query?: AuditQuery): AuditRecord[];
  chain(): AuditChain;
}

/** Small things to remember, by name. */
export interface Meta {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
  delete(key: string): void;
  /** The names that begin so, in their order. */
  keys(prefix: string): string[];
}

/** The run of an agent as it was kept: where the next host continues, if the process port still holds it. */
export interface StoredRun {
  readonly run: string;
  readonly session: string;
  readonly handledOffset: number;
  readonly sentOffset: number;
  readonly state: string;
  /** Frames that may not have arrived, in order. */
  readonly frames: readonly RunText[];
  /** Requests without a response, in order. */
  readonly requests: readonly RunText[];
}

/** A search; all words must occur. */
export interface SearchQuery {
  readonly words: readonly string[];
  /** Only sessions of this app; absent: of everybody. */
  readonly appId?: string | undefined;
  readonly agent?: string | undefined;
  /** Only sessions in this folder or below it. */
  readonly folder?: string | undefined;
  /** Only turns that began at this moment or later, or before one. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
}

/** A turn or a title that has the words. */
export interface SearchHit {
  readonly session: SessionSummary;
  /** Absent for a session's title. */
  readonly turnId?: string;
  readonly at: string;
  /** A piece of the text, each match between U+0001 and U+0002. */
  readonly snippet: string;
}

/** The full-text index of ended turns; sessions that are removed leave it. */
export interface SearchIndex {
  /** Adds a turn; one that ended again replaces itself. */
  put(chat: string, turn: Turn): void;
  /** Indexes a little of what is not yet indexed; gives whether there is more. */
  step(): boolean;
  /** The best matches first. */
  find(query: SearchQuery): SearchHit[];
}

/**
 * Everything the host keeps, but the bytes of terminals (see `TerminalSpool`).
 * At its start a host resumes `openChannels` of sessions and terminals; a chat is loaded when somebody asks for it.
 */
export interface Storage {
  /** For the hub: what is committed is there after the process was killed. */
  readonly journal: Journal;
  /** For the hub: numbers grow across restarts and crashes, and none is given twice. */
  readonly sequence: SequenceSource;
  readonly audit: AuditTrail;
  readonly meta: Meta;
  readonly search: SearchIndex;
  listSessions(query?: SessionQuery): SessionPage;
  /** The channels of a kind that were open, in the order in which they were opened. */
  openChannels<Kind extends "session" | "terminal">(kind: Kind): StoredChannelOf<Kind>[];
  /** The channels of a session, itself included, open or not, in the order in which they were opened. */
  channelsOf(session: SessionUri): string[];
  loadChannel(uri: string): StoredChannel | undefined;
  /** At most `limit` actions with numbers above `afterSeq`, exactly as they were applied. */
  readLog(uri: string, afterSeq: number, limit: number): LogPage;
  /** Where a turn of a chat begins in its log: a turn by its id, or the one that a number falls into. */
  findTurnStart(chat: string, wanted: WantedTurn): number | undefined;
  /**
   * The turns of a chat before one of them, at most `limit`, also those that left its state (`chat/turnsOmitted`);
   * undefined when there is no such turn.
   */
  readTurns(chat: string, before: string, limit: number): TurnPage | undefined;
  /** The newest such turn among those that left the state, at the same cost however many there are. */
  findOmittedTurn(chat: string, wanted: WantedOmittedTurn): Turn | undefined;
  /** The runs of agents that have not ended, as far as hosts knew. */
  runs(): StoredRun[];
  /** Removes a session with its chats and terminals; close them first. The audit stays. */
  purge(session: SessionUri): Purged;
  prune(retention: Retention): Pruned;
  /** Call it after the last commit. */
  close(): void;
}
