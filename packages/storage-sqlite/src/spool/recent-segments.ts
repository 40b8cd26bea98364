// Which terminals' files are known by heart: those that grow, and a few of the others that were read lately.
import type { Segments } from "./segments.ts";

/** What is known of so many terminals that write no more stays in memory. */
const restingCount = 32;

/** Gives one object for the files of one terminal, as long as anybody uses it. */
export class RecentSegments {
  readonly #make: (name: string) => Segments;
  readonly #isGrowing: (name: string) => boolean;
  /** By name; the one that was asked for last is last. */
  readonly #segments = new Map<string, Segments>();

  constructor(make: (name: string) => Segments, isGrowing: (name: string) => boolean) {
    this.#make = make;
    this.#isGrowing = isGrowing;
  }

  get(name: string): Segments {
    const known = this.#segments.get(name);
    if (known) this.#segments.delete(name);
    else this.#forgetOldest();
    const segments = known ?? this.#make(name);
    this.#segments.set(name, segments);
    return segments;
  }

  /** Waits until nobody reads any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#segments.values()].map((segments) => segments.close()));
    this.#segments.clear();
  }

  /** Makes room for one more. Files that rest are not open, so there is nothing to close. */
  #forgetOldest(): void {
    if (this.#segments.size < restingCount) return;
    const resting = [...this.#segments].filter(
      ([name, segments]) => segments.isIdle && !this.#isGrowing(name),
    );
    const excessCount = Math.max(0, resting.length + 1 - restingCount);
    for (const [name] of resting.slice(0, excessCount)) this.#segments.delete(name);
  }
}
