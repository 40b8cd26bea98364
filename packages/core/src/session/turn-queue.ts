// The turns that wait behind the running one, as messages of the chat that everybody can see.
import { type ChatAction, type Message, type PendingMessageId, type TurnId, makeId } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { Turn } from "./turn.ts";

/** Turns that may wait. */
const maxWaiting = 16;

/** A turn that has not begun. */
interface WaitingTurn {
  readonly id: PendingMessageId;
  /** Begins it, naming the message that it takes out of the queue. */
  readonly begin: (queuedMessageId: PendingMessageId) => Turn;
  readonly settle: (turn: Turn | undefined) => void;
  readonly begun: Promise<Turn | undefined>;
}

/** The queue of one chat. */
export class TurnQueue {
  readonly #tell: (action: ChatAction) => void;
  #waiting: WaitingTurn[] = [];

  constructor(tell: (action: ChatAction) => void) {
    this.#tell = tell;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Lines a turn up; resolves with it when it begins, or without when it is dropped. */
  push(turnId: TurnId, message: Message, begin: WaitingTurn["begin"]): Promise<Turn | undefined> {
    if (this.#waiting.length >= maxWaiting) throw new HostError("ACP_QUEUE_FULL");
    // The message that waits has the name of the turn that it will be: who waits for the turn knows it by that.
    const id = makeId("pending message", turnId);
    this.#tell({ type: "chat/pendingMessageSet", kind: "queued", pending: { id, message } });
    let settle = (_turn: Turn | undefined): void => {};
    const begun = new Promise<Turn | undefined>((resolve) => {
      settle = resolve;
    });
    this.#waiting.push({ id, begin, settle, begun });
    return begun;
  }

  /** A turn that waits, as it was promised when it was lined up. */
  find(turnId: TurnId): Promise<Turn | undefined> {
    const waiting = this.#waiting.find(({ id }) => id === makeId("pending message", turnId));
    return waiting?.begun ?? Promise.resolve(undefined);
  }

  /** Begins the turn that has waited longest. */
  beginNext(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next.settle(next.begin(next.id));
  }

  /** Drops everything that waits, and says so. */
  drop(): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    for (const { id, settle } of dropped) {
      this.#tell({ type: "chat/pendingMessageRemoved", kind: "queued", id });
      settle(undefined);
    }
  }
}
