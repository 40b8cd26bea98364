// The logs of a session, for clients that follow its turns: from a turn's first action, or from any number on.
import { type TurnId, makeId, pendingMessages } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import { LogReader } from "../channel/log-reader.ts";
import type { Storage } from "../ports.ts";
import type { HostSession } from "./host-session.ts";

/** A turn that can be followed from its first action. */
export interface StreamedTurn {
  readonly turnId: TurnId;
  /** The log of the turn's chat, from before the turn's first action. */
  readonly chat: LogReader;
  /** The log of its session, from the same moment. */
  readonly session: LogReader;
}

/** A message that was accepted, as a turn. */
export interface SentMessage {
  readonly turnId: TurnId;
  /** Whether a message with the same idempotency key was accepted before. */
  readonly isRepeated: boolean;
}

/** The start of a follower. */
export interface FollowRequest {
  /** The last number that it has seen; absent: nothing. */
  readonly after?: number | undefined;
  /** The only turn that it wants; absent: all. */
  readonly turnId?: string | undefined;
}

/** A session that is followed: its log since a number, then live. */
export interface FollowedSession {
  /** From the beginning of the turn into which `after` falls. */
  readonly chat: LogReader;
  readonly session: LogReader;
  /** The follower has seen everything up to this number; earlier entries are read only to understand the rest. */
  readonly after: number;
  /** Whether a turn runs or waits: while one does, more will come. */
  isBusy(): boolean;
}

/** Opens log readers on sessions and turns. */
export class TurnReaders {
  readonly #hub: Hub;
  readonly #storage: Storage;

  constructor(hub: Hub, storage: Storage) {
    this.#hub = hub;
    this.#storage = storage;
  }

  /** Follows a turn that was sent after `lastSeq`; one that was sent before is followed from its beginning. */
  followTurn(
    session: HostSession,
    { turnId, isRepeated }: SentMessage,
    lastSeq: number,
    onReadable: () => void,
  ): StreamedTurn {
    const afterSeq = isRepeated ? this.#startOfWanted(session, turnId) - 1 : lastSeq;
    return { turnId, ...this.#readers(session, afterSeq, onReadable) };
  }

  /** Follows a session from the turn on into which a number falls. */
  follow(session: HostSession, { after, turnId }: FollowRequest, onReadable: () => void): FollowedSession {
    if (after !== undefined && after > this.#hub.lastSeq) throw new HostError("EVENTS_LOST");
    const fromSeq = this.#firstSeq(session, after, turnId);
    return {
      ...this.#readers(session, fromSeq - 1, onReadable),
      after: after ?? 0,
      isBusy: () => session.turns.isBusy,
    };
  }

  #firstSeq(session: HostSession, after: number | undefined, turnId: string | undefined): number {
    const { chat } = session;
    if (turnId !== undefined && turnId !== "") return this.#startOfWanted(session, makeId("turn", turnId));
    const wanted = after === undefined ? { atOrAfter: 0 } : { atOrBefore: after };
    // Before the first turn there is nothing to read.
    return this.#storage.findTurnStart(chat.uri, wanted) ?? (after ?? 0) + 1;
  }

  #startOfWanted(session: HostSession, turnId: TurnId): number {
    const fromSeq = this.#startOf(session, turnId);
    if (fromSeq !== undefined) return fromSeq;
    const pendingId = makeId("pending message", turnId);
    if (pendingMessages(session.chat.state).some(({ id }) => id === pendingId)) {
      return this.#hub.lastSeq + 1;
    }
    const joined = session.chat.turnOf(turnId);
    if (joined !== turnId) return this.#startOfWanted(session, joined);
    if (session.chat.endedTurn(turnId) !== undefined) throw new HostError("EVENTS_LOST");
    throw new HostError(
      "NOT_FOUND",
      `There is no turn ${turnId} in this session. It may have been removed from the queue.`,
    );
  }

  #startOf(session: HostSession, turnId: TurnId): number | undefined {
    return session.turns.startOf(turnId) ?? this.#storage.findTurnStart(session.chat.uri, { turnId });
  }

  #readers(
    session: HostSession,
    afterSeq: number,
    onReadable: () => void,
  ): { chat: LogReader; session: LogReader } {
    const readerOf = (uri: string): LogReader => {
      const history = {
        uri,
        readPage: (after: number, limit: number) => this.#storage.readLog(uri, after, limit),
        open: () => {
          session.chat.load();
          return this.#hub.source(uri);
        },
      };
      return new LogReader({ history, afterSeq }, onReadable);
    };
    return { chat: readerOf(session.chat.uri), session: readerOf(session.uri) };
  }
}
