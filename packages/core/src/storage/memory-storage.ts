// The storage port in memory: for hosts that keep nothing, and as the measure for those that do.
import type { Action, SessionUri } from "@holdfast/ahp";
import { makeId, summarizeSession } from "@holdfast/ahp";
import type { KindedState } from "../channel/channel.ts";
import type { Journal, JournalRecord } from "../channel/journal.ts";
import type { LogEntry } from "../channel/log-entry.ts";
import { CountingSequence } from "../channel/sequence.ts";
import type {
  LogPage,
  Pruned,
  Purged,
  Retention,
  SessionPage,
  SessionQuery,
  Storage,
  StoredAction,
  StoredChannel,
  StoredChannelOf,
  StoredSession,
  WantedTurn,
} from "../ports.ts";
import { changedBelonging, initialSession } from "./belonging.ts";
import { isDurable } from "./durable.ts";
import { reduceKinded } from "./kinded.ts";
import { MemoryAudit } from "./memory-audit.ts";
import { MemoryMeta } from "./memory-meta.ts";

/** A channel in memory. */
interface MemoryChannel {
  readonly uri: string;
  kinded: KindedState;
  session: string | undefined;
  isOpen: boolean;
  closedAtMs: number;
  seq: number;
  log: StoredAction[];
  logBytes: number;
  /** Actions up to this number are no longer in the log. */
  trimmedSeq: number;
}

/** How a storage in memory works; every field has a default. */
export interface MemoryStorageOptions {
  /** How much of each channel's log is kept. Default 4 MiB. */
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
  readonly #channels = new Map<string, MemoryChannel>();
  readonly #keepLogBytes: number;
  readonly #nowMs: () => number;

  constructor({ keepLogBytes = 4 * 1024 * 1024, nowMs = Date.now }: MemoryStorageOptions = {}) {
    this.#keepLogBytes = keepLogBytes;
    this.#nowMs = nowMs;
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

  purge(session: SessionUri): Purged {
    const uris = this.channelsOf(session);
    const terminals = uris.filter((uri) => this.#channels.get(uri)?.kinded.kind === "terminal");
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
    for (const { uri, kinded, session, isOpen, closedAtMs } of this.#channels.values()) {
      if (kinded.kind !== "terminal" || session !== undefined || isOpen || !isOld(closedAtMs)) continue;
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
    // What is in memory stays there, for whoever opens it again.
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
      }
    }
  }

  #open(uri: string, kinded: KindedState): void {
    // A URI that is used again is a new channel, and the newest one.
    this.#channels.delete(uri);
    this.#channels.set(uri, {
      uri,
      kinded,
      session: initialSession(kinded),
      isOpen: true,
      closedAtMs: 0,
      seq: 0,
      log: [],
      logBytes: 0,
      trimmedSeq: 0,
    });
  }

  #apply({ channel: uri, serverSeq, action, origin, atMs }: LogEntry): void {
    const channel = this.#channels.get(uri);
    if (channel === undefined) return;
    channel.kinded = reduceKinded(channel.kinded, action);
    if (isOver(channel.kinded)) channel.isOpen = false;
    channel.seq = serverSeq;
    channel.log.push({ serverSeq, action, origin, atMs });
    channel.logBytes += sizeOf(action);
    if (channel.logBytes > this.#keepLogBytes) trim(channel, this.#keepLogBytes / 2);
    const changed = changedBelonging(uri, action);
    const named = changed && this.#channels.get(changed.channel);
    if (named) named.session = changed.session;
  }

  /** Newest first. */
  #sessions(): StoredSession[] {
    const sessions = [...this.#channels.values()].flatMap(({ kinded, isOpen }): StoredSession[] => {
      if (kinded.kind !== "session") return [];
      const summary = summarizeSession(kinded.state);
      return [{ summary, isOpen }];
    });
    return sessions.toSorted((one, other) => (placeOf(one) < placeOf(other) ? 1 : -1));
  }

  #sizeBytes(): number {
    let sizeBytes = 0;
    for (const { kinded, logBytes } of this.#channels.values()) {
      sizeBytes += logBytes + JSON.stringify(kinded.state).length;
    }
    return sizeBytes;
  }
}

function describe({ uri, kinded, seq, isOpen }: MemoryChannel): StoredChannel {
  return { ...kinded, uri, seq, isOpen };
}

function isOver({ kind, state }: KindedState): boolean {
  return kind === "session" && (state.lifecycle.status === "closed" || state.lifecycle.status === "failed");
}

/** Sorts by activity, then by URI, as one text. */
function placeOf({ summary }: StoredSession): string {
  return `${summary.lastActivityAt} ${summary.resource}`;
}

function sizeOf(action: Action): number {
  return JSON.stringify(action).length;
}

function trim(channel: MemoryChannel, keepBytes: number): void {
  while (channel.logBytes > keepBytes) {
    const oldest = channel.log.shift();
    if (oldest === undefined) return;
    channel.trimmedSeq = oldest.serverSeq;
    channel.logBytes -= sizeOf(oldest.action);
  }
}
