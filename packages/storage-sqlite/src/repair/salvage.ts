// The salvage of a table: range by range around what cannot be read, by a child that may die over it (D265).
import { StorageError } from "@holdfast/core/ports";
import type { SqlValue } from "../driver.ts";
import { ChildProgram } from "./child-program.ts";
import type { CopyProgress, CopyRequest } from "./copy-range.ts";

export interface SalvagedTable {
  readonly table: string;
  copied: number;
  /** Rows that are there and cannot be read. */
  lost: number;
  /** Whether there are places behind which nothing could be found: more rows may be lost than were counted. */
  hasGaps: boolean;
}

/** The files, and the program that runs children, with its flags. */
export interface SalvageOptions {
  readonly source: string;
  readonly target: string;
  readonly node?: readonly string[] | undefined;
}

/** How often a table's gaps are tried from another place. */
const maxAttempts = 200;

/** A child that reports nothing for so long reads in a circle. */
const stuckMs = 30_000;

/** Copies tables. `close` it. */
export class Salvage {
  readonly #options: SalvageOptions;
  #child: ChildProgram | undefined;

  constructor(options: SalvageOptions) {
    this.#options = options;
  }

  close(): void {
    this.#child?.close();
    this.#child = undefined;
  }

  /** Copies a table whose key is a whole number: from both ends, and from places in between. */
  async copyNumbered(table: string, key: string): Promise<SalvagedTable> {
    const result: SalvagedTable = { table, copied: 0, lost: 0, hasGaps: false };
    const forwards = await this.#run({ table, key, first: null, last: null, isReversed: false }, result);
    if (forwards.isWhole) return result;
    const start = typeof forwards.key === "number" ? forwards.key + 1 : null;
    const backwards = await this.#run({ table, key, first: start, last: null, isReversed: true }, result);
    if (backwards.isWhole) return result;
    result.hasGaps = true;
    // Nothing at either end: there is no range to look into.
    if (start === null || typeof backwards.key !== "number") return result;
    await this.#bisect({ table, key, first: start, last: backwards.key - 1 }, result);
    return result;
  }

  /** Copies a table with another key: from both ends. */
  async copyOther(table: string, key: string): Promise<SalvagedTable> {
    const result: SalvagedTable = { table, copied: 0, lost: 0, hasGaps: false };
    const whole = { table, key, first: null, last: null };
    const forwards = await this.#run({ ...whole, isReversed: false }, result);
    if (forwards.isWhole) return result;
    result.hasGaps = true;
    await this.#run({ ...whole, isReversed: true }, result);
    return result;
  }

  /** Looks for readable rows between two places that cannot be passed. */
  async #bisect(
    { table, key, first, last }: { table: string; key: string; first: number; last: number },
    result: SalvagedTable,
  ): Promise<void> {
    const gaps: { first: number; last: number }[] = [{ first, last }];
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const gap = gaps.shift();
      if (gap === undefined) return;
      const middle = Math.floor((gap.first + gap.last) / 2);
      if (gap.last < gap.first) continue;
      const upper = { table, key, first: middle, last: gap.last };
      const forwards = await this.#run({ ...upper, isReversed: false }, result);
      if (!forwards.isWhole && typeof forwards.key === "number" && forwards.key < gap.last) {
        gaps.push({ first: forwards.key + 1, last: gap.last });
      } else if (!forwards.isWhole && middle < gap.last) gaps.push({ first: middle + 1, last: gap.last });
      if (middle > gap.first) gaps.push({ first: gap.first, last: middle - 1 });
    }
  }

  /** Runs one request; says how far it came. A child that dies over it has come as far as it said. */
  async #run(
    request: CopyRequest,
    result: SalvagedTable,
  ): Promise<{ readonly isWhole: boolean; readonly key: SqlValue | undefined }> {
    let key: SqlValue | undefined;
    const child = await this.#start();
    child?.send(request);
    for (;;) {
      const message = await child?.next(stuckMs);
      if (message === undefined) {
        this.close();
        return { isWhole: false, key };
      }
      if (message["done"] === true) return { isWhole: true, key };
      if (message["isTarget"] === true) {
        const problem = `The repaired database ${this.#options.target} cannot be written (${String(message["failed"])})`;
        throw new StorageError("unavailable", `${problem}. Free space on its disk, then repair again.`);
      }
      const progress = readProgress(message);
      if (progress === undefined) return { isWhole: false, key };
      result.copied += progress.copied;
      result.lost += progress.lost;
      ({ key } = progress);
    }
  }

  async #start(): Promise<ChildProgram | undefined> {
    if (this.#child !== undefined) return this.#child;
    const { source, target, node } = this.#options;
    const child = new ChildProgram(["copy", source, target], node);
    const ready = await child.next();
    if (ready?.["ready"] !== true) {
      child.close();
      return undefined;
    }
    this.#child = child;
    return child;
  }
}

/** Undefined for a failure, or for a message that is no progress. */
function readProgress({ key, copied, lost }: Readonly<Record<string, unknown>>): CopyProgress | undefined {
  if (typeof key !== "number" && typeof key !== "string" && key !== null) return undefined;
  if (typeof copied !== "number" || typeof lost !== "number") return undefined;
  return { key, copied, lost };
}
