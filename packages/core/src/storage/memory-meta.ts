// Small things to remember, in memory.
import type { Meta } from "../ports.ts";

/** Remembers until the process ends. */
export class MemoryMeta implements Meta {
  readonly #values = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: string): void {
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  keys(prefix: string): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }
}
