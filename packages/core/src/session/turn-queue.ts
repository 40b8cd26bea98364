// The turns that wait behind the running one, as messages of the chat that everybody can see.
import {
  type ChatAction,
  type Message,
  type PendingMessage,
  type PendingMessageId,
  type TurnId,
  makeId,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { Turn } from "./turn.ts";

/** Turns that may wait. */
const maxWaiting = 16;

/** Where a message waits: in the line, or before it, because it was meant for the turn that runs. */
export type PendingKind = "queued" | "steering";

/** A turn that has not begun. */
interface WaitingTurn {
  readonly id: PendingMessageId;
  readonly kind: PendingKind;
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
    this.#waiting.push({ id, kind: "queued", begin, settle, begun });
    return begun;
  }

  /** Lines up a message that a client named, or changes it where it stands; the agent cannot be told in mid-turn. */
  set(kind: PendingKind, pending: PendingMessage, begin: WaitingTurn["begin"]): void {
    const { id } = pending;
    const next: WaitingTurn = { id, kind, begin, settle: () => {}, begun: Promise.resolve(undefined) };
    const index = this.#waiting.findIndex((waiting) =>
      kind === "steering" ? waiting.kind === kind : waiting.id === id,
    );
    if (index < 0 && this.#waiting.length >= maxWaiting) throw new HostError("ACP_QUEUE_FULL");
    this.#tell({ type: "chat/pendingMessageSet", kind, pending });
    if (index >= 0) this.#waiting[index] = next;
    else if (kind === "steering") this.#waiting.unshift(next);
    else this.#waiting.push(next);
  }

  /** Takes a message out of the line; false when it does not wait. */
  remove(kind: PendingKind, id: PendingMessageId): boolean {
    const index = this.#waiting.findIndex((waiting) => waiting.id === id && waiting.kind === kind);
    const [removed] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (removed === undefined) return false;
    this.#tell({ type: "chat/pendingMessageRemoved", kind, id });
    removed.settle(undefined);
    return true;
  }

  /** Puts the line into another order; messages that are not named stay behind, in their order. */
  reorder(order: readonly PendingMessageId[]): void {
    this.#tell({ type: "chat/queuedMessagesReordered", order });
    const places = new Map(order.map((id, place) => [id, place]));
    const placeOf = ({ id, kind }: WaitingTurn): number =>
      kind === "steering" ? -1 : (places.get(id) ?? order.length);
    this.#waiting = this.#waiting.toSorted((one, other) => placeOf(one) - placeOf(other));
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
    for (const { id, kind, settle } of dropped) {
      this.#tell({ type: "chat/pendingMessageRemoved", kind, id });
      settle(undefined);
    }
  }
}
