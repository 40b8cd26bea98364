// Storage in memory for tests: keeps the contract of storages until the process ends.
import { makeId, type SessionUri, summarizeSession, type Turn } from "@holdfast/ahp";
import { CHAIN_START, chainHash, type ChainLink } from "@holdfast/terminal/acp-parts";
import type { AuditEntry } from "../audit/audit.ts";
import { estimateActionBytes } from "../channel/action-size.ts";
import type { StateByKind } from "../channel/channel.ts";
import { CountingSequence, type Journal, type JournalRecord, type RunProgress } from "../channel/journal.ts";
import type { LogEntry } from "../channel/log-entry.ts";
import type {
  AuditChain,
  AuditQuery,
  AuditRecord,
  AuditTrail,
  LogPage,
  Meta,
  Pruned,
  Purged,
  Retention,
  SearchHit,
  SearchIndex,
  SearchQuery,
  SessionPage,
  SessionQuery,
  Storage,
  StoredAction,
  StoredChannel,
  StoredChannelOf,
  StoredRun,
  StoredSession,
  WantedOmittedTurn,
  WantedTurn,
} from "../ports.ts";
import { type SearchDocument, searchDocument } from "../search/search-document.ts";
import { isDurable } from "../storage/durable.ts";
import { omittedTurns, type TurnPage, turnsBefore } from "../storage/omitted-turns.ts";
import { changedOwner, initialSession, reduceByKind } from "../storage/stored-channel.ts";

/** A channel in memory. */
interface MemoryChannel {
  readonly uri: string;
  channel: StateByKind;
  session: string | undefined;
  isOpen: boolean;
  closedAtMs: number;
  seq: number;
  log: StoredAction[];
  logBytes: number;
  /** The turns that left the state, oldest first. */
  readonly omittedTurns: Turn[];
  /** The searchable text of ended turns, by their ids. */
  readonly indexed: Map<string, SearchDocument>;
  /** Actions up to this number are no longer in the log. */
  trimmedSeq: number;
}

/** Options of a storage in memory; every field has a default. */
interface MemoryStorageOptions {
  /** How much memory each channel's log may take, by estimate. Default 4 MiB. */
  readonly keepLogBytes?: number;
  readonly nowMs?: () => number;
}

const defaultLimit = 100;

/** Keeps everything until the process ends. */
export class MemoryStorage implements Storage {
  readonly journal: Journal = { commit: (records) => this.#commit(records) };
  readonly sequence = new CountingSequence();
  readonly audit = new MemoryAudit();
  readonly meta = new MemoryMeta();
  readonly search: SearchIndex = {
    put: (chat, turn) => this.#indexTurn(chat, turn),
    step: () => false,
    find: (query) => this.#find(query),
  };
  readonly #channels = new Map<string, MemoryChannel>();
  readonly #runs = new Map<string, StoredRun>();
  readonly #keepLogBytes: number;
  readonly #nowMs: () => number;

  constructor({ keepLogBytes = 4 * 1024 * 1024, nowMs = Date.now }: MemoryStorageOptions = {}) {
    this.#keepLogBytes = keepLogBytes;
    this.#nowMs = nowMs;
  }

  #indexTurn(chat: string, turn: Turn): void {
    const indexed = this.#channels.get(chat)?.indexed;
    const document = searchDocument(turn);
    indexed?.set(document.turnId, document);
  }

  #find({ words, appId, agent, folder, since = "", until = "~", limit }: SearchQuery): SearchHit[] {
    const hits: SearchHit[] = [];
    for (const { session, indexed } of this.#channels.values()) {
      const summary = this.#sessions().find((each) => each.summary.resource === session)?.summary;
      const isWanted =
        summary !== undefined &&
        (appId === undefined || (summary.owner.kind === "app" && summary.owner.appId === appId)) &&
        (agent === undefined || summary.provider === agent) &&
        (folder === undefined || `${summary.workingDirectories[0]}/`.startsWith(`${folder}/`));
      if (!isWanted) continue;
      for (const { turnId, at, prompt, reply, commands } of indexed.values()) {
        const text = [prompt, reply, commands].join("\n");
        const hasAll = words.every((word) => text.toLowerCase().includes(word.toLowerCase()));
        if (hasAll && at >= since && at < until) {
          hits.push({ session: summary, turnId, at, snippet: text.slice(0, 200) });
        }
      }
    }
    return hits.slice(0, limit);
  }

  listSessions({ isOpen, limit = defaultLimit, cursor }: SessionQuery = {}): SessionPage {
    const sessions = this.#sessions().filter(
      (session) =>
        (isOpen === undefined || session.isOpen === isOpen) &&
        (cursor === undefined || placeOf(session) < cursor),
    );
    const page = sessions.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page,
      ...(last !== undefined && sessions.length > limit && { nextCursor: placeOf(last) }),
    };
  }

  openChannels<Kind extends "session" | "terminal">(kind: Kind): StoredChannelOf<Kind>[] {
    return [...this.#channels.values()]
      .map(describe)
      .filter((channel): channel is StoredChannel & StoredChannelOf<Kind> => channel.kind === kind)
      .filter(({ isOpen }) => isOpen);
  }

  channelsOf(session: SessionUri): string[] {
    return [...this.#channels.values()]
      .filter((channel) => channel.session === session)
      .map(({ uri }) => uri);
  }

  loadChannel(uri: string): StoredChannel | undefined {
    const channel = this.#channels.get(uri);
    return channel && describe(channel);
  }

  readLog(uri: string, afterSeq: number, limit: number): LogPage {
    const channel = this.#channels.get(uri);
    const entries = (channel?.log ?? []).filter(({ serverSeq }) => serverSeq > afterSeq);
    return {
      entries: entries.slice(0, limit),
      hasMore: entries.length > limit,
      isComplete: afterSeq >= (channel?.trimmedSeq ?? 0),
    };
  }

  findTurnStart(chat: string, wanted: WantedTurn): number | undefined {
    const starts = (this.#channels.get(chat)?.log ?? []).filter(
      ({ action }) => action.type === "chat/turnStarted",
    );
    if ("atOrAfter" in wanted) {
      return starts.find(({ serverSeq }) => serverSeq >= wanted.atOrAfter)?.serverSeq;
    }
    const isWanted = ({ action, serverSeq }: StoredAction): boolean =>
      "turnId" in wanted
        ? "turnId" in action && action.turnId === wanted.turnId
        : serverSeq <= wanted.atOrBefore;
    return starts.findLast(isWanted)?.serverSeq;
  }

  readTurns(chat: string, before: string, limit: number): TurnPage | undefined {
    const { channel, omittedTurns: omitted = [] } = this.#channels.get(chat) ?? {};
    const inState = channel?.kind === "chat" ? channel.state.turns : [];
    const nothing = (): TurnPage => ({ turns: [], hasMore: false });
    return turnsBefore([...omitted, ...inState], before, limit, nothing);
  }

  findOmittedTurn(chat: string, wanted: WantedOmittedTurn): Turn | undefined {
    return this.#channels
      .get(chat)
      ?.omittedTurns.findLast(({ id, message }) =>
        "turnId" in wanted ? id === wanted.turnId : message.request?.key === wanted.requestKey,
      );
  }

  runs(): StoredRun[] {
    return [...this.#runs.values()];
  }

  purge(session: SessionUri): Purged {
    const uris = this.channelsOf(session);
    const terminals = uris.filter((uri) => this.#channels.get(uri)?.channel.kind === "terminal");
    for (const uri of uris) this.#channels.delete(uri);
    return { sessions: uris.includes(session) ? [session] : [], terminals };
  }

  prune({ nowMs, maxAgeMs, maxBytes, auditMaxAgeMs, maxSessions = 20 }: Retention): Pruned {
    const closed = this.#sessions().filter(({ isOpen }) => !isOpen);
    const isOld = (at: number): boolean => maxAgeMs !== undefined && nowMs - at > maxAgeMs;
    const sessions: string[] = [];
    const terminals: string[] = [];
    const isTooMuch = (): boolean => maxBytes !== undefined && this.#sizeBytes() > maxBytes;
    let oldest = closed.pop();
    while (
      oldest !== undefined &&
      sessions.length < maxSessions &&
      (isOld(Date.parse(oldest.summary.lastActivityAt)) || isTooMuch())
    ) {
      const purged = this.purge(makeId("session URI", oldest.summary.resource));
      sessions.push(...purged.sessions);
      terminals.push(...purged.terminals);
      oldest = closed.pop();
    }
    for (const { uri, channel, session, isOpen, closedAtMs } of this.#channels.values()) {
      if (channel.kind !== "terminal" || session !== undefined || isOpen || !isOld(closedAtMs)) continue;
      this.#channels.delete(uri);
      terminals.push(uri);
    }
    if (auditMaxAgeMs !== undefined) {
      this.audit.forgetBefore(new Date(nowMs - auditMaxAgeMs).toISOString());
    }
    const isDone = sessions.length < maxSessions;
    if (isDone && isTooMuch()) for (const channel of this.#channels.values()) trim(channel, 0);
    return { sessions, terminals, isDone };
  }

  close(): void {
    // The data stays in memory, for the next caller that opens it.
  }

  #commit(records: readonly JournalRecord[]): void {
    for (const record of records) {
      switch (record.type) {
        case "opened":
          if (record.opened.kind !== "root") this.#open(record.channel, record.opened);
          break;
        case "applied":
          if (isDurable(record.entry.action)) this.#apply(record.entry);
          break;
        case "closed": {
          const channel = this.#channels.get(record.channel);
          if (channel === undefined) break;
          channel.isOpen = false;
          channel.closedAtMs = this.#nowMs();
          break;
        }
        case "reopened": {
          const channel = this.#channels.get(record.channel);
          if (channel !== undefined) channel.isOpen = true;
          break;
        }
        case "run":
          this.#runs.set(record.run, advanceRun(this.#runs.get(record.run), record));
          break;
        case "runEnded":
          this.#runs.delete(record.run);
          break;
      }
    }
  }

  #open(uri: string, channel: StateByKind): void {
    // A URI that is used again is a new channel, and the newest one.
    this.#channels.delete(uri);
    this.#channels.set(uri, {
      uri,
      channel,
      session: initialSession(channel),
      isOpen: true,
      closedAtMs: 0,
      seq: 0,
      log: [],
      logBytes: 0,
      omittedTurns: [],
      indexed: new Map(),
      trimmedSeq: 0,
    });
  }

  #apply({ channel: uri, serverSeq, action, origin, atMs }: LogEntry): void {
    const channel = this.#channels.get(uri);
    if (channel === undefined) return;
    const before = channel.channel;
    channel.channel = reduceByKind(before, action);
    if (action.type === "chat/turnsOmitted") {
      channel.omittedTurns.push(...omittedTurns(before, channel.channel));
    }
    if (isOver(channel.channel)) channel.isOpen = false;
    channel.seq = serverSeq;
    channel.log.push({ serverSeq, action, origin, atMs });
    channel.logBytes += estimateActionBytes(action);
    if (channel.logBytes > this.#keepLogBytes) trim(channel, this.#keepLogBytes / 2);
    const changed = changedOwner(uri, action);
    const named = changed && this.#channels.get(changed.channel);
    if (named) named.session = changed.session;
  }

  /** Newest first. */
  #sessions(): StoredSession[] {
    const sessions = [...this.#channels.values()].flatMap(({ channel, isOpen }): StoredSession[] => {
      if (channel.kind !== "session") return [];
      const summary = summarizeSession(channel.state);
      return [{ summary, isOpen }];
    });
    return sessions.toSorted((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
  }

  #sizeBytes(): number {
    let sizeBytes = 0;
    for (const { channel, logBytes } of this.#channels.values()) {
      sizeBytes += logBytes + JSON.stringify(channel.state).length;
    }
    return sizeBytes;
  }
}

function describe({ uri, channel, seq, isOpen }: MemoryChannel): StoredChannel {
  return { ...channel, uri, seq, isOpen };
}

function advanceRun(before: StoredRun | undefined, progress: RunProgress): StoredRun {
  const { run, session, handledOffset, sentOffset, takenOffset, state } = progress;
  const isWanted = ({ offset, text }: { offset: number; text: string }): boolean =>
    offset + Buffer.byteLength(text) > takenOffset;
  return {
    run,
    session,
    handledOffset,
    sentOffset,
    state: state ?? before?.state ?? "{}",
    frames: [...(before?.frames ?? []), ...progress.frames].filter(isWanted),
    requests: [...(before?.requests ?? []), ...progress.opened].filter(
      ({ offset }) => !progress.answered.includes(offset),
    ),
  };
}

function isOver({ kind, state }: StateByKind): boolean {
  return kind === "session" && (state.lifecycle.status === "closed" || state.lifecycle.status === "failed");
}

/** Sorts by activity, then by URI, as one text. */
function placeOf({ summary }: StoredSession): string {
  return `${summary.lastActivityAt} ${summary.resource}`;
}

function trim(channel: MemoryChannel, keepBytes: number): void {
  while (channel.logBytes > keepBytes) {
    const oldest = channel.log.shift();
    if (oldest === undefined) return;
    channel.trimmedSeq = oldest.serverSeq;
    channel.logBytes -= estimateActionBytes(oldest.action);
  }
}

/** Keeps the record until the process ends. */
class MemoryAudit implements AuditTrail {
  #records: AuditRecord[] = [];
  #anchor: ChainLink = { id: 0, hash: CHAIN_START };
  #head = this.#anchor;

  append(entry: AuditEntry): void {
    const id = this.#head.id + 1;
    const hash = chainHash(this.#head.hash, { id, ...entry });
    this.#records.push({ id, entry, hash });
    this.#head = { id, hash };
  }

  chain(): AuditChain {
    return { anchor: this.#anchor, head: this.#head };
  }

  read({ after, session, what, since = "", limit = defaultLimit }: AuditQuery = {}): AuditRecord[] {
    const wanted = this.#records.filter(
      ({ id, entry }) =>
        id > (after ?? 0) &&
        (session ?? entry.session) === entry.session &&
        (what ?? entry.what) === entry.what &&
        entry.at >= since,
    );
    return after === undefined ? wanted.slice(-limit) : wanted.slice(0, limit);
  }

  /** Removes the oldest entries up to the first that is not older. */
  forgetBefore(at: string): void {
    const kept = this.#records.findIndex(({ entry }) => entry.at >= at);
    const removed = kept === -1 ? this.#records : this.#records.slice(0, kept);
    const { id, hash = CHAIN_START } = removed.at(-1) ?? this.#anchor;
    this.#anchor = { id, hash };
    this.#records = this.#records.slice(removed.length);
  }
}

/** Remembers until the process ends. */
export class MemoryMeta implements Meta {
  readonly #values = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: string): void {
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  keys(prefix: string): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }
}
