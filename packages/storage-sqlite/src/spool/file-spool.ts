// The spool of terminals' output in files: two for each terminal, bounded each and together.
import { createHash } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { SpoolExtent, SpoolSlice, TerminalSpool } from "@holdfast/core/ports";
import { ReadPlaces, RecentSegments, Segments } from "./segments.ts";
import { SpooledTerminal, type SpoolRules } from "./spooled-terminal.ts";

/** How a spool works; every field but the folder has a default. */
export interface FileSpoolOptions extends Partial<SpoolRules> {
  readonly folder: string;
  /** Limit on the output of all terminals; the oldest that have ended go first. Default 1 GiB. */
  readonly totalBytes?: number;
}

const mebibyte = 1024 * 1024;

/** Opens the spool in a folder, which is created if it is not there. */
export async function openFileSpool(options: FileSpoolOptions): Promise<TerminalSpool> {
  const { folder } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return new FileSpool(options, await findEnded(folder));
}

/** A terminal that writes no more. */
interface EndedTerminal {
  readonly sizeBytes: number;
  readonly writtenAtMs: number;
}

/** The terminals in a folder by the names of their files. */
async function findEnded(folder: string): Promise<Map<string, EndedTerminal>> {
  const found = new Map<string, EndedTerminal>();
  for (const file of await readdir(folder)) {
    const { name, ext } = path.parse(file);
    if (ext !== ".new" && ext !== ".old") continue;
    const { size, mtimeMs } = await stat(path.join(folder, file));
    const { sizeBytes, writtenAtMs } = found.get(name) ?? { sizeBytes: 0, writtenAtMs: 0 };
    found.set(name, { sizeBytes: sizeBytes + size, writtenAtMs: Math.max(writtenAtMs, mtimeMs) });
  }
  return found;
}

class FileSpool implements TerminalSpool {
  readonly #totalBytes: number;
  readonly #rules: SpoolRules;
  readonly #running = new Map<string, SpooledTerminal>();
  /** Terminals whose last bytes are being written. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #ended: Map<string, EndedTerminal>;
  readonly #segments: RecentSegments;
  /** Of the terminals that run: each piece of their output asks for the name of the files. */
  readonly #names = new Map<string, string>();
  #removal: Promise<void> = Promise.resolve();

  constructor(
    { folder, totalBytes = 1024 * mebibyte, ...rules }: FileSpoolOptions,
    ended: Map<string, EndedTerminal>,
  ) {
    this.#totalBytes = totalBytes;
    this.#ended = ended;
    this.#rules = {
      terminalBytes: 16 * mebibyte,
      bytesPerSecond: mebibyte,
      burstBytes: 8 * mebibyte,
      pendingBytes: mebibyte / 4,
      nowMs: Date.now,
      elapsedMs: () => performance.now(),
      onFault: () => {
        // No listener; the gap shows in what is read.
      },
      ...rules,
    };
    const places = new ReadPlaces();
    const limitBytes = this.#rules.terminalBytes / 2;
    this.#segments = new RecentSegments(
      (name) => new Segments(path.join(folder, name), limitBytes, places),
      (name) => this.#running.has(name) || this.#ending.has(name),
    );
  }

  append(terminal: string, offset: number, bytes: Uint8Array): void {
    const name = this.#names.get(terminal) ?? nameOf(terminal);
    const known = this.#running.get(name);
    if (known && (offset > 0 || known.endOffset === 0)) {
      known.append(offset, bytes);
      return;
    }
    // A URI that is used again waits until its files are free.
    if (known) void this.end(terminal);
    this.#ended.delete(name);
    const makeRoom = (): void => void this.#keepTotal();
    const before = this.#ending.get(name);
    const started = new SpooledTerminal(this.#segments.get(name), offset, this.#rules, makeRoom, before);
    this.#running.set(name, started);
    this.#names.set(terminal, name);
    started.append(offset, bytes);
  }

  async end(terminal: string): Promise<void> {
    const name = nameOf(terminal);
    const running = this.#running.get(name);
    if (running) {
      this.#running.delete(name);
      this.#names.delete(terminal);
      await this.#finish(name, running);
    }
    await this.#ending.get(name);
  }

  async read(terminal: string, fromOffset: number, maxBytes: number): Promise<SpoolSlice | undefined> {
    return (await this.#settled(terminal))?.read(fromOffset, maxBytes);
  }

  async extent(terminal: string): Promise<SpoolExtent | undefined> {
    return (await this.#settled(terminal))?.extent();
  }

  async remove(terminal: string): Promise<void> {
    const name = nameOf(terminal);
    await this.end(terminal);
    this.#ended.delete(name);
    await this.#segments.get(name).remove();
  }

  async close(): Promise<void> {
    const finishing = [...this.#running].map(([name, running]) => this.#finish(name, running));
    this.#running.clear();
    this.#names.clear();
    await Promise.all([...finishing, ...this.#ending.values()]);
    await this.#removal;
    await this.#segments.close();
  }

  async #finish(name: string, running: SpooledTerminal): Promise<void> {
    const written = running.end().then(() => {
      // The same URI may be used again, and may even have ended again.
      if (this.#ending.get(name) !== written) return;
      this.#ending.delete(name);
      if (this.#running.has(name)) return;
      this.#ended.set(name, { sizeBytes: running.sizeBytes, writtenAtMs: this.#rules.nowMs() });
    });
    this.#ending.set(name, written);
    await written;
    await this.#keepTotal();
  }

  /** The files of a terminal when what it wrote so far is in them; undefined when there are none. */
  async #settled(terminal: string): Promise<Segments | undefined> {
    const name = nameOf(terminal);
    await this.#ending.get(name);
    await this.#running.get(name)?.settled();
    const isKept = this.#running.has(name) || this.#ending.has(name) || this.#ended.has(name);
    return isKept ? this.#segments.get(name) : undefined;
  }

  /** Keeps the total, one step at a time. */
  #keepTotal(): Promise<void> {
    if (this.#sizeBytes() > this.#totalBytes) {
      this.#removal = this.#removal.then(() => this.#removeOldest()).catch(this.#rules.onFault);
    }
    return this.#removal;
  }

  /** The terminals that ended longest ago go first, then the older halves of those that run. */
  async #removeOldest(): Promise<void> {
    const oldestFirst = [...this.#ended].toSorted(
      ([, one], [, other]) => one.writtenAtMs - other.writtenAtMs,
    );
    for (const [name] of oldestFirst) {
      if (this.#sizeBytes() <= this.#totalBytes) return;
      // It may have begun again meanwhile.
      if (this.#ended.delete(name)) await this.#segments.get(name).remove();
    }
    for (const running of this.#running.values()) {
      if (this.#sizeBytes() <= this.#totalBytes) return;
      await running.dropOlder();
    }
  }

  #sizeBytes(): number {
    let sizeBytes = 0;
    for (const each of this.#ended.values()) sizeBytes += each.sizeBytes;
    for (const each of this.#running.values()) sizeBytes += each.sizeBytes;
    return sizeBytes;
  }
}

/** Clients choose URIs; a file's name must not be theirs to choose. */
function nameOf(terminal: string): string {
  return createHash("sha256").update(terminal).digest("hex").slice(0, 32);
}
