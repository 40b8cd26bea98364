// The plan of a turn that runs several lines; a turn with a single one has none.
import type { PlanEntry } from "../acp/session-update.ts";
import type { Turn } from "./turn.ts";

/** Shows how far the lines of a turn are (S7). */
export class Plan {
  readonly #turn: Turn;
  readonly #entries: PlanEntry[];

  constructor(turn: Turn, lines: readonly string[]) {
    this.#turn = turn;
    this.#entries = lines.map((content) => ({ content, priority: "medium", status: "pending" }));
  }

  /** Tells of the plan as it stands. */
  async show(): Promise<void> {
    if (this.#entries.length < 2) return;
    await this.#turn.emit({ sessionUpdate: "plan", entries: this.#entries.map((entry) => ({ ...entry })) });
  }

  /** Changes one entry and tells of it. */
  async mark(index: number, status: PlanEntry["status"]): Promise<void> {
    const entry = this.#entries[index];
    if (entry !== undefined) entry.status = status;
    await this.show();
  }
}
