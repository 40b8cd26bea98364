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
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { OnContextLost } from "./agent-opening.ts";
import type { Turn } from "./turn.ts";

/** Turns that may wait. */
const maxWaiting = 16;

/** The place of a message: in the queue, or before it, because it was meant for the turn that runs. */
export type PendingKind = "queued" | "steering";

/** Wishes of a message's sender for its turn; an edit of the message by another client leaves them. */
export interface TurnManner {
  readonly isInteractive: boolean;
  readonly onContextLost: OnContextLost;
}

/** The queue as the next host gets to know it, besides the messages. */
export type SavedQueue = readonly { readonly id: PendingMessageId; readonly manner: TurnManner }[];

/** That of messages which clients of a channel send. */
const shownTurn: TurnManner = { isInteractive: true, onContextLost: "continue" };

/** Begins a turn, naming the message that it takes out of the queue. */
export type BeginTurn = (queuedMessageId: PendingMessageId, manner: TurnManner) => Turn;

/** A turn that has not begun. */
interface WaitingTurn {
  readonly id: PendingMessageId;
  readonly kind: PendingKind;
  readonly manner: TurnManner;
  readonly begin: BeginTurn;
  readonly settle: (turn: Turn | undefined) => void;
  readonly begun: Promise<Turn | undefined>;
}

type Dispatch = (action: ChatAction, origin?: ActionOrigin) => LogEntry | undefined;

/** The queue of one chat. */
export class TurnQueue {
  readonly #dispatch: Dispatch;
  #waiting: WaitingTurn[] = [];

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get saved(): SavedQueue {
    return this.#waiting.map(({ id, manner }) => ({ id, manner }));
  }

  has(id: PendingMessageId): boolean {
    return this.#waiting.some((waiting) => waiting.id === id);
  }

  push(turnId: TurnId, message: Message, manner: TurnManner, begin: BeginTurn): void {
    if (this.#waiting.length >= maxWaiting) throw new HostError("ACP_QUEUE_FULL");
    // A queued message has the id of its later turn: clients that wait for the turn know it by that.
    const id = makeId("pending message", turnId);
    this.#dispatch({ type: "chat/pendingMessageSet", kind: "queued", pending: { id, message } });
    this.#waiting.push(waitingTurn(id, "queued", manner, begin));
  }

  /** Queues a message of an earlier host again, which is in the chat already. */
  restore(kind: PendingKind, { id }: PendingMessage, saved: SavedQueue, begin: BeginTurn): void {
    const { manner = shownTurn } = saved.find((each) => each.id === id) ?? {};
    this.#waiting.push(waitingTurn(id, kind, manner, begin));
  }

  /** Queues a message that a client named, or changes it where it stands; the agent takes no message in mid-turn. */
  set(
    kind: PendingKind,
    pending: PendingMessage,
    begin: BeginTurn,
    origin?: ActionOrigin,
  ): LogEntry | undefined {
    const { id } = pending;
    const elsewhere = this.#waiting.findIndex((waiting) => waiting.id === id && waiting.kind !== kind);
    const [moved] = elsewhere < 0 ? [] : this.#waiting.splice(elsewhere, 1);
    const index = this.#waiting.findIndex(
      (waiting) => waiting.kind === kind && (kind === "steering" || waiting.id === id),
    );
    if (index < 0 && this.#waiting.length >= maxWaiting) throw new HostError("ACP_QUEUE_FULL");
    const before = index < 0 ? undefined : this.#waiting[index];
    // A sender that waits for the turn of an edited message waits on.
    const known = moved ?? (before?.id === id ? before : undefined);
    const next = known === undefined ? waitingTurn(id, kind, shownTurn, begin) : { ...known, kind, begin };
    const isReplaced = before !== undefined && before.id !== id;
    if (isReplaced) this.#dispatch({ type: "chat/pendingMessageRemoved", kind, id: before.id });
    const entry = this.#dispatch({ type: "chat/pendingMessageSet", kind, pending }, origin);
    // After its new place: a removal from the newest place means that the message is dropped (N850).
    if (moved !== undefined) this.#dispatch({ type: "chat/pendingMessageRemoved", kind: moved.kind, id });
    if (isReplaced) before.settle(undefined);
    if (index >= 0) this.#waiting[index] = next;
    else if (kind === "steering") this.#waiting.unshift(next);
    else this.#waiting.push(next);
    return entry;
  }

  /** Takes a message out of the queue. */
  remove(kind: PendingKind, id: PendingMessageId, origin?: ActionOrigin): LogEntry | undefined {
    return this.#take(kind, id, undefined, origin);
  }

  /** Takes out the message that joined the running turn: its sender, who waits for its turn, waits for that one. */
  join(id: PendingMessageId, turn: Turn): void {
    this.#take("steering", id, turn);
  }

  #take(
    kind: PendingKind,
    id: PendingMessageId,
    turn: Turn | undefined,
    origin?: ActionOrigin,
  ): LogEntry | undefined {
    const index = this.#waiting.findIndex((waiting) => waiting.id === id && waiting.kind === kind);
    const [removed] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (removed === undefined) return undefined;
    const entry = this.#dispatch({ type: "chat/pendingMessageRemoved", kind, id }, origin);
    removed.settle(turn);
    return entry;
  }

  /** Puts the line into another order; messages that are not named stay behind, in their order. */
  reorder(order: readonly PendingMessageId[], origin?: ActionOrigin): LogEntry | undefined {
    const entry = this.#dispatch({ type: "chat/queuedMessagesReordered", order }, origin);
    const places = new Map(order.map((id, place) => [id, place]));
    const placeOf = ({ id, kind }: WaitingTurn): number =>
      kind === "steering" ? -1 : (places.get(id) ?? order.length);
    this.#waiting = this.#waiting.toSorted((one, other) => placeOf(one) - placeOf(other));
    return entry;
  }

  /** A queued turn: resolves when it begins or its message joins another, or without one when it is dropped. */
  find(turnId: TurnId): Promise<Turn | undefined> {
    const waiting = this.#waiting.find(({ id }) => id === makeId("pending message", turnId));
    return waiting?.begun ?? Promise.resolve(undefined);
  }

  /** Begins the turn that has waited longest. */
  beginNext(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next.settle(next.begin(next.id, next.manner));
  }

  /** Takes a queued turn back; false when it is not there. */
  withdraw(turnId: TurnId): boolean {
    const id = makeId("pending message", turnId);
    const waiting = this.#waiting.find((each) => each.id === id);
    return waiting !== undefined && this.remove(waiting.kind, id) !== undefined;
  }

  /** Drops everything that waits, and says so. */
  drop(): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    for (const { id, kind, settle } of dropped) {
      this.#dispatch({ type: "chat/pendingMessageRemoved", kind, id });
      settle(undefined);
    }
  }
}

function waitingTurn(
  id: PendingMessageId,
  kind: PendingKind,
  manner: TurnManner,
  begin: BeginTurn,
): WaitingTurn {
  let settle = (_turn: Turn | undefined): void => {};
  const begun = new Promise<Turn | undefined>((resolve) => {
    settle = resolve;
  });
  return { id, kind, manner, begin, settle, begun };
}
