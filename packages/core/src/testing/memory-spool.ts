// A spool in memory, for tests of what outlives a host.
import type { SpoolExtent, SpoolSlice, TerminalSpool } from "../storage/terminal-spool.ts";

/** Keeps everything that terminals write. */
export class MemorySpool implements TerminalSpool {
  readonly #kept = new Map<string, Buffer>();

  append(terminal: string, offset: number, bytes: Uint8Array): void {
    const before = this.#kept.get(terminal) ?? Buffer.alloc(0);
    this.#kept.set(terminal, Buffer.concat([before.subarray(0, offset), bytes]));
  }

  async end(): Promise<void> {
    // Everything is kept already.
  }

  async read(terminal: string, fromOffset: number, maxBytes: number): Promise<SpoolSlice | undefined> {
    const bytes = this.#kept.get(terminal)?.subarray(fromOffset, fromOffset + maxBytes);
    if (bytes === undefined || bytes.length === 0) return undefined;
    return { startOffset: fromOffset, endOffset: fromOffset + bytes.length, bytes };
  }

  async extent(terminal: string): Promise<SpoolExtent | undefined> {
    const kept = this.#kept.get(terminal);
    return kept && { startOffset: 0, endOffset: kept.length, keptBytes: kept.length, skippedBytes: 0 };
  }

  async remove(terminal: string): Promise<void> {
    this.#kept.delete(terminal);
  }

  async close(): Promise<void> {
    // There are no files.
  }
}
