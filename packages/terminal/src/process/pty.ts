// Pseudo terminals: opened by the native part of node-pty, read and written by us (T8).
import { closeSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { TerminalError, invalidRequest } from "../terminal-error.ts";
import { platform } from "./platform.ts";

interface NativePty {
  open(columns: number, rows: number): { master: number; slave: number; pty: string };
  resize(fd: number, columns: number, rows: number): void;
}

let loaded: NativePty | undefined;

function native(): NativePty {
  if (!platform.isPosix) {
    throw new TerminalError(
      "not_supported",
      "Terminals with a screen are not supported on Windows yet; run the command as text",
    );
  }
  loaded ??= loadBinary();
  return loaded;
}

function loadBinary(): NativePty {
  const library = createRequire(import.meta.url)("@lydell/node-pty/requireBinary.js") as {
    requireBinary(file: string): NativePty;
  };
  return library.requireBinary("pty.node");
}

/** The size of a screen in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The size that a terminal has when nobody says otherwise. */
export const DEFAULT_SIZE: ScreenSize = { columns: 80, rows: 24 };

const bounds = { columns: [2, 1000], rows: [1, 500] } as const;

/** Refuses what is not a whole number, and pulls the rest into what a terminal can be. */
export function checkSize(size: Partial<ScreenSize>): ScreenSize {
  const check = (name: keyof ScreenSize): number => {
    const value = size[name] ?? DEFAULT_SIZE[name];
    if (!Number.isSafeInteger(value)) throw invalidRequest(name, "a whole number");
    return Math.min(Math.max(value, bounds[name][0]), bounds[name][1]);
  };
  return { columns: check("columns"), rows: check("rows") };
}

/** An open pseudo terminal: our end, and the device that a command opens. */
export interface Pty {
  readonly master: number;
  readonly device: string;
  /** Closes our hold on the command's end; called when the command has opened it itself. */
  releaseDevice(): void;
}

/** Opens a pseudo terminal. */
export function openPty({ columns, rows }: ScreenSize): Pty {
  const { master, slave, pty } = native().open(columns, rows);
  let held = true;
  const releaseDevice = (): void => {
    if (held) closeSync(slave);
    held = false;
  };
  return { master, device: pty, releaseDevice };
}

/** Tells the terminal its new size; programs in it get SIGWINCH. */
export function resizePty(master: number, { columns, rows }: ScreenSize): void {
  native().resize(master, columns, rows);
}

/** What may wait for a program that does not read. */
const maxWaitingBytes = 1024 * 1024;
const maxRetryMs = 32;

/** Writes to a terminal without blocking: what does not fit waits for the program to read. */
export class PtyWriter {
  readonly #fd: () => number | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #retry: NodeJS.Timeout | undefined;
  #retryMs = 1;
  readonly #drainListeners: (() => void)[] = [];

  /** `fd` gives the master while it is open. */
  constructor(fd: () => number | undefined) {
    this.#fd = fd;
  }

  write(bytes: Buffer): void {
    if (this.#fd() === undefined) {
      throw new TerminalError("closed", "The command has ended and takes no more input");
    }
    if (this.#waitingBytes + bytes.length > maxWaitingBytes) {
      throw new TerminalError(
        "input_full",
        `The command is not reading its input; ${this.#waitingBytes} bytes wait already`,
      );
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#retry === undefined) this.flush();
  }

  /** Writes what fits. Called again when the program wrote something: then it has probably read as well. */
  flush(): void {
    const waited = this.#retry !== undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const written = this.#writeSome(first);
      if (written === 0) return this.#retryLater();
      this.#retryMs = 1;
      this.#waitingBytes -= written;
      if (written === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(written);
    }
    if (waited) for (const listener of this.#drainListeners) listener();
  }

  /** Called each time that waiting bytes have been taken. */
  onDrain(listener: () => void): void {
    this.#drainListeners.push(listener);
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  #retryLater(): void {
    if (this.#fd() === undefined) return this.close();
    this.#retry = setTimeout(() => this.flush(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, maxRetryMs);
  }

  #writeSome(bytes: Buffer): number {
    const fd = this.#fd();
    if (fd === undefined) return 0;
    try {
      return writeSync(fd, bytes);
    } catch {
      // EAGAIN: the line's buffer is full. EIO: the command has closed its end. Both: nothing was taken.
      return 0;
    }
  }
}
