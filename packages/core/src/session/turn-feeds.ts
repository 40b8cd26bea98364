// The logs of a session, for whoever follows its turns: from a turn's first action, or from any number on.
import { type TurnId, makeId } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { EntryFeed } from "../channel/entry-feed.ts";
import type { Hub } from "../channel/hub.ts";
import { LogFeed } from "../channel/log-feed.ts";
import type { Storage } from "../ports.ts";
import type { HostSession } from "./host-session.ts";
import type { TurnRequest } from "./session-turns.ts";

/** A turn that can be followed from its first action. */
export interface StreamedTurn {
  readonly turnId: TurnId;
  /** The log of the turn's chat, from before the turn's first action. */
  readonly chat: EntryFeed;
  /** The log of its session, from the same moment. */
  readonly session: EntryFeed;
}

/** Where a follower begins. */
export interface FollowRequest {
  /** The last number that it has seen; absent: nothing. */
  readonly after?: number | undefined;
  /** The only turn that it wants; absent: all. */
  readonly turnId?: string | undefined;
}

/** A session that is followed: what was told since a number, then what is told. */
export interface FollowedSession {
  /** From the beginning of the turn into which `after` falls. */
  readonly chat: EntryFeed;
  readonly session: EntryFeed;
  /** What was told up to this number is known to the follower; it is read to understand the rest. */
  readonly after: number;
  /** Whether a turn runs or waits: while one does, more will come. */
  isBusy(): boolean;
}

/** Gives feeds of sessions. */
export class TurnFeeds {
  readonly #hub: Hub;
  readonly #storage: Storage;

  constructor(hub: Hub, storage: Storage) {
    this.#hub = hub;
    this.#storage = storage;
  }

  /** Begins a turn and follows it; one that was begun before is followed from its beginning. */
  start(session: HostSession, request: TurnRequest, onReadable: () => void): StreamedTurn {
    const { lastSeq } = this.#hub;
    const { turnId, isRepeated } = session.turns.take(request, true);
    const afterSeq = isRepeated ? this.#startOfWanted(session, turnId) - 1 : lastSeq;
    return { turnId, ...this.#feeds(session, afterSeq, onReadable) };
  }

  /** Follows a session from the turn on into which a number falls. */
  follow(session: HostSession, { after, turnId }: FollowRequest, onReadable: () => void): FollowedSession {
    if (after !== undefined && after > this.#hub.lastSeq) throw new HostError("EVENTS_LOST");
    const fromSeq = this.#firstSeq(session, after, turnId);
    return {
      ...this.#feeds(session, fromSeq - 1, onReadable),
      after: after ?? 0,
      isBusy: () => session.turns.isBusy,
    };
  }

  #firstSeq(session: HostSession, after: number | undefined, turnId: string | undefined): number {
    const { conversation } = session;
    if (turnId !== undefined && turnId !== "") return this.#startOfWanted(session, makeId("turn", turnId));
    const wanted = after === undefined ? { atOrAfter: 0 } : { atOrBefore: after };
    // Before the first turn there is nothing to tell.
    return this.#storage.findTurnStart(conversation.uri, wanted) ?? (after ?? 0) + 1;
  }

  #startOfWanted(session: HostSession, turnId: TurnId): number {
    const fromSeq = this.#startOf(session, turnId);
    if (fromSeq !== undefined) return fromSeq;
    const { queuedMessages, turns } = session.conversation.state;
    if (queuedMessages.some(({ id }) => id === makeId("pending message", turnId))) {
      return this.#hub.lastSeq + 1;
    }
    if (turns.some(({ id }) => id === turnId)) throw new HostError("EVENTS_LOST");
    throw new HostError(
      "NOT_FOUND",
      `There is no turn ${turnId} in this session. It may have been taken out of the line.`,
    );
  }

  #startOf(session: HostSession, turnId: TurnId): number | undefined {
    return session.turns.startOf(turnId) ?? this.#storage.findTurnStart(session.chat, { turnId });
  }

  #feeds(
    session: HostSession,
    afterSeq: number,
    onReadable: () => void,
  ): { chat: EntryFeed; session: EntryFeed } {
    const hub = this.#hub;
    const readLog = this.#storage.readLog.bind(this.#storage);
    const load = (): void => session.conversation.load();
    return {
      chat: new LogFeed({ hub, uri: session.chat, readLog, load, onReadable }, afterSeq),
      session: new LogFeed({ hub, uri: session.uri, readLog, load, onReadable }, afterSeq),
    };
  }
}
