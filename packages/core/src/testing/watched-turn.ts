// A turn as a viewer sees it: every action in order, and promises for what a test waits for.
import type { Action, Approval, TurnEndAction } from "@holdfast/ahp";
import type { StreamedTurn } from "../session/turn-readers.ts";

const endings = new Set<string>([
  "chat/turnComplete",
  "chat/turnCancelled",
  "chat/error",
  "chat/turnInterrupted",
]);

/** A turn under watch. */
export class WatchedTurn {
  readonly turnId: string;
  /** The actions of the chat so far, of this turn and others. */
  readonly actions: Action[] = [];
  readonly #streamed: StreamedTurn;
  readonly #watchers = new Set<() => void>();

  constructor(start: (onReadable: () => void) => StreamedTurn) {
    let isStarted = false;
    this.#streamed = start(() => isStarted && this.#read());
    isStarted = true;
    this.turnId = this.#streamed.turnId;
    this.#read();
  }

  /** The action that ends this turn. */
  get ended(): Promise<TurnEndAction> {
    return this.until(
      (action): action is TurnEndAction => endings.has(action.type) && isOf(action, this.turnId),
    );
  }

  /** Whether the turn has ended. */
  get isOver(): boolean {
    this.#read();
    return this.actions.some((action) => endings.has(action.type) && isOf(action, this.turnId));
  }

  /** Every permission that somebody was asked for. */
  get approvals(): readonly Approval[] {
    this.#read();
    return this.actions.flatMap((action) =>
      action.type === "chat/toolCallReady" && action.confirmation.kind === "needed"
        ? [action.confirmation.approval]
        : [],
    );
  }

  /** A permission that is asked for, by its place in the order. */
  async approval(index = 0): Promise<Approval> {
    await this.until(() => this.approvals.length > index);
    const approval = this.approvals[index];
    if (approval === undefined) throw new Error("There is no such approval");
    return approval;
  }

  /** The first action that fits, now or later. */
  async until<Found extends Action>(fits: (action: Action) => action is Found): Promise<Found>;
  async until(fits: (action: Action) => boolean): Promise<Action>;
  async until(fits: (action: Action) => boolean): Promise<Action> {
    for (;;) {
      this.#read();
      const found = this.actions.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#watchers.add(resolve);
      });
    }
  }

  #read(): void {
    const before = this.actions.length;
    for (;;) {
      const reading = this.#streamed.chat.read();
      if (reading.kind === "gap") throw new Error(`The viewer lost ${reading.lostEntries} entries`);
      if (reading.kind === "closed" || reading.entries.length === 0) break;
      this.actions.push(...reading.entries.map(({ action }) => action));
    }
    if (this.actions.length === before) return;
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
  }
}

function isOf(action: Action, turnId: string): boolean {
  return "turnId" in action && action.turnId === turnId;
}
