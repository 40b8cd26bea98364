// Keeps FIFOs ready, because making one takes a process and a run should not wait for it.
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { Launcher } from "./launch.ts";

const batchSize = 64;
const lowMark = 16;

/** Paths of FIFOs that nobody has opened yet; each is used once. */
export class FifoPool {
  readonly #launcher: Launcher;
  #ready: string[] = [];
  #folder: string | undefined;
  #refill: Promise<void> | undefined;

  constructor(launcher: Launcher) {
    this.#launcher = launcher;
  }

  /** Takes so many; at once when they are there. */
  async take(count: number): Promise<string[]> {
    let taken = await this.#takeReady(count);
    // Something removed them: none of this batch is left, and the helper makes another folder (T510).
    if (!taken.every((path) => existsSync(path))) {
      this.#ready = [];
      taken = await this.#takeReady(count);
    }
    // A failed refill is reported by the next `take`.
    if (this.#ready.length < lowMark) this.#fill().catch(() => {});
    return taken;
  }

  /** The helper that made them is gone, and nobody else would remove them. */
  discard(): void {
    this.#ready = [];
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async #takeReady(count: number): Promise<string[]> {
    while (this.#ready.length < count) await this.#fill();
    return this.#ready.splice(0, count);
  }

  #fill(): Promise<void> {
    this.#refill ??= this.#launcher
      .makeFifos(batchSize)
      .then((paths) => {
        this.#folder = dirname(paths[0] ?? "");
        this.#ready.push(...paths);
      })
      .finally(() => {
        this.#refill = undefined;
      });
    return this.#refill;
  }
}
