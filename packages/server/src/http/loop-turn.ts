// Shares the turns of the event loop among all who would use them up: each turn has a budget, and whoever is over it waits.

/** How long backlogs may be written before others get their turn of the loop. */
const budgetMs = 4;

/** The present turn of the loop, seen by all who work through backlogs. One for all of them. */
export class LoopTurn {
  /** Since when this turn is at work; undefined until somebody asks. */
  #sinceMs: number | undefined;
  #waiting: (() => void)[] = [];

  /** Whether this turn has been at work for long enough. */
  get isSpent(): boolean {
    if (this.#sinceMs !== undefined) return performance.now() - this.#sinceMs >= budgetMs;
    this.#begin();
    return false;
  }

  /** Goes on in the next turn, or in a later one if that is spent by those who wait already. */
  wait(goOn: () => void): void {
    this.#waiting.push(goOn);
  }

  #begin(): void {
    this.#sinceMs = performance.now();
    setImmediate(() => this.#next());
  }

  #next(): void {
    this.#sinceMs = undefined;
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    let begun = 0;
    while (begun < waiting.length && !this.isSpent) waiting[begun++]?.();
    // Those who had no turn come before those who have to wait once more.
    this.#waiting.unshift(...waiting.slice(begun));
  }
}
