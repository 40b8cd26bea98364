// The spool of terminals' output in files: two for each terminal, bounded each and together.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { SpoolExtent, SpoolSlice, TerminalSpool } from "@holdfast/core/ports";
import type { Frame } from "./frames.ts";
import { Segments } from "./segments.ts";
import { SpooledTerminal, type SpoolRules } from "./spooled-terminal.ts";

/** How a spool works; every field but the folder has a default. */
export interface FileSpoolOptions extends Partial<SpoolRules> {
  readonly folder: string;
  /** What is kept of all terminals; the oldest that have ended go first. Default 1 GiB. */
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
  readonly #folder: string;
  readonly #totalBytes: number;
  readonly #rules: SpoolRules;
  readonly #running = new Map<string, SpooledTerminal>();
  /** Terminals whose last bytes are being written. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #ended: Map<string, EndedTerminal>;
  #room: Promise<void> = Promise.resolve();

  constructor(
    { folder, totalBytes = 1024 * mebibyte, ...rules }: FileSpoolOptions,
    ended: Map<string, EndedTerminal>,
  ) {
    this.#folder = folder;
    this.#totalBytes = totalBytes;
    this.#ended = ended;
    this.#rules = {
      terminalBytes: 16 * mebibyte,
      bytesPerSecond: mebibyte,
      burstBytes: 8 * mebibyte,
      pendingBytes: mebibyte / 4,
      nowMs: Date.now,
      onFault: () => {
        // Nobody asked to be told; the gap shows in what is read.
      },
      ...rules,
    };
  }

  append(terminal: string, offset: number, bytes: Uint8Array): void {
    const name = nameOf(terminal);
    const known = this.#running.get(name);
    if (known && (offset > 0 || known.endOffset === 0)) {
      known.append(offset, bytes);
      return;
    }
    // A URI that is used again waits until its files are free.
    if (known) void this.end(terminal);
    this.#ended.delete(name);
    const makeRoom = (): void => void this.#makeRoom();
    const before = this.#ending.get(name);
    const started = new SpooledTerminal(this.#base(name), offset, this.#rules, makeRoom, before);
    this.#running.set(name, started);
    started.append(offset, bytes);
  }

  async end(terminal: string): Promise<void> {
    const name = nameOf(terminal);
    const running = this.#running.get(name);
    if (running) {
      this.#running.delete(name);
      const ending = this.#finish(name, running);
      this.#ending.set(name, ending);
    }
    await this.#ending.get(name);
  }

  async read(terminal: string, fromOffset: number, maxBytes: number): Promise<SpoolSlice | undefined> {
    const frames = await this.#frames(terminal);
    const first = frames.findIndex(({ offset, bytes }) => offset + bytes.length > fromOffset);
    const wanted = frames[first];
    if (wanted === undefined) return undefined;
    const startOffset = Math.max(fromOffset, wanted.offset);
    const parts: Uint8Array[] = [];
    let endOffset = startOffset;
    for (const { offset, bytes } of frames.slice(first)) {
      if (offset > endOffset || endOffset - startOffset >= maxBytes) break;
      const part = bytes.subarray(endOffset - offset, startOffset + maxBytes - offset);
      parts.push(part);
      endOffset += part.length;
    }
    return { startOffset, endOffset, bytes: Buffer.concat(parts) };
  }

  async extent(terminal: string): Promise<SpoolExtent | undefined> {
    const frames = await this.#frames(terminal);
    const [first] = frames;
    const last = frames.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const endOffset = last.offset + last.bytes.length;
    const keptBytes = frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return {
      startOffset: first.offset,
      endOffset,
      keptBytes,
      skippedBytes: endOffset - first.offset - keptBytes,
    };
  }

  async remove(terminal: string): Promise<void> {
    const name = nameOf(terminal);
    await this.end(terminal);
    this.#ended.delete(name);
    await this.#segments(name).remove();
  }

  async close(): Promise<void> {
    for (const [name, running] of this.#running) this.#ending.set(name, this.#finish(name, running));
    this.#running.clear();
    await Promise.all(this.#ending.values());
    await this.#room;
  }

  async #finish(name: string, running: SpooledTerminal): Promise<void> {
    await running.end();
    this.#ending.delete(name);
    if (!this.#running.has(name)) {
      this.#ended.set(name, { sizeBytes: running.sizeBytes, writtenAtMs: this.#rules.nowMs() });
    }
    await this.#makeRoom();
  }

  #base(name: string): string {
    return path.join(this.#folder, name);
  }

  #segments(name: string): Segments {
    return new Segments(this.#base(name), this.#rules.terminalBytes / 2);
  }

  async #frames(terminal: string): Promise<readonly Frame[]> {
    const name = nameOf(terminal);
    await this.#ending.get(name);
    const running = this.#running.get(name);
    return running ? running.use((segments) => segments.read()) : this.#segments(name).read();
  }

  /** Keeps the total, one step at a time. */
  #makeRoom(): Promise<void> {
    if (this.#sizeBytes() > this.#totalBytes) {
      this.#room = this.#room.then(() => this.#removeOldest()).catch(this.#rules.onFault);
    }
    return this.#room;
  }

  /** The terminals that ended longest ago go first, then the older halves of those that run. */
  async #removeOldest(): Promise<void> {
    const oldestFirst = [...this.#ended].toSorted(
      ([, one], [, other]) => one.writtenAtMs - other.writtenAtMs,
    );
    for (const [name] of oldestFirst) {
      if (this.#sizeBytes() <= this.#totalBytes) return;
      this.#ended.delete(name);
      await this.#segments(name).remove();
    }
    for (const running of this.#running.values()) {
      if (this.#sizeBytes() <= this.#totalBytes) return;
      await running.use((segments) => segments.dropOlder());
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
