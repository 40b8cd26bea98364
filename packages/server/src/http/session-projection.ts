// Projects the actions of a session to the events of its turns, one turn after another.
import type { Action, TurnAction, TurnId } from "@holdfast/ahp";
import type { TurnEvent } from "@holdfast/protocol";
import type { EventProjection } from "./event-source.ts";
import { statusEvent } from "./turn-events.ts";
import { TurnProjection } from "./turn-projection.ts";

type StartAction = Extract<TurnAction, { type: "chat/turnStarted" }>;

/** Follows all turns of a session; each begins with a status that names it, and ends as it would alone (A47). */
export class SessionProjection implements EventProjection {
  readonly #isBusy: () => boolean;
  /** The turn that began last. */
  #turn: TurnProjection | undefined;

  /** `isBusy` says whether a turn runs or waits. */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  get turnId(): TurnId | undefined {
    return this.#turn === undefined || this.#turn.isOver ? undefined : this.#turn.turnId;
  }

  /** There may always be another turn. */
  get isOver(): boolean {
    return false;
  }

  get isIdle(): boolean {
    return this.turnId === undefined && !this.#isBusy();
  }

  project(action: Action): readonly TurnEvent[] {
    switch (action.type) {
      case "chat/turnStarted":
        this.#turn = new TurnProjection(action.turnId);
        return [describeStart(action), ...this.#turn.project(action)];
      case "chat/turnResume":
        this.#turn?.resume(action);
        return this.turnId === action.turnId ? [describeResume(action.turnId)] : [];
      default:
        return this.#turn?.project(action) ?? [];
    }
  }
}

function describeStart({ turnId, startedAt, message }: StartAction): TurnEvent {
  return statusEvent("turn_started", message.text, { turnId, startedAt });
}

function describeResume(turnId: TurnId): TurnEvent {
  return statusEvent("turn_resumed", "The turn goes on", { turnId });
}
