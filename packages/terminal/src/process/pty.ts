// Pseudo-terminals: opened by the native part of node-pty, read and written by us (T8).
import { closeSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { ScreenSize } from "../screen-size.ts";
import { TerminalError } from "../terminal-error.ts";
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
      "Pseudo-terminals are not supported on Windows yet; run the command as text",
    );
  }
  loaded ??= loadBinary();
  return loaded;
}

function loadBinary(): NativePty {
  // A bundle in CommonJS has no module URL, but a file name.
  const from = typeof __filename === "string" ? __filename : import.meta.url;
  try {
    const library = createRequire(from)("@lydell/node-pty/requireBinary.js") as {
      requireBinary(file: string): NativePty;
    };
    return library.requireBinary("pty.node");
  } catch (error) {
    throw new TerminalError(
      "not_supported",
      "Pseudo-terminals need the package @lydell/node-pty, which cannot be loaded. Install it.",
      { cause: error },
    );
  }
}

/** An open pseudo-terminal: our end, and the device that a command opens. */
export interface Pty {
  readonly master: number;
  readonly device: string;
  /** Closes our hold on the command's end; called when the command has opened it itself. */
  releaseDevice(): void;
}

/** Opens a pseudo-terminal. */
export function openPty({ columns, rows }: ScreenSize): Pty {
  const { master, slave, pty } = openNative(native(), columns, rows);
  let held = true;
  const releaseDevice = (): void => {
    if (held) closeSync(slave);
    held = false;
  };
  return { master, device: pty, releaseDevice };
}

function openNative(library: NativePty, columns: number, rows: number): ReturnType<NativePty["open"]> {
  try {
    return library.open(columns, rows);
  } catch (error) {
    throw new TerminalError("spawn_failed", `Could not open a pseudo-terminal: ${String(error)}`, {
      cause: error,
    });
  }
}

/** Sets the terminal's size; programs in it get SIGWINCH. */
export function resizePty(master: number, { columns, rows }: ScreenSize): void {
  native().resize(master, columns, rows);
}

/** Bytes that may wait for a program that does not read. */
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
    // A write of zero bytes returns 0, which is also how a full line looks; it would be retried forever.
    if (bytes.length === 0) return;
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
