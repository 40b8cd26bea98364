// Passes this program's stdin on to a command in the host: every byte once, no faster than the command reads (C45).
import type { Readable } from "node:stream";
import { HoldfastError, type Holdfast } from "@holdfast/sdk";

/** What input is passed on with. */
export interface CommandInputParts {
  readonly api: Holdfast;
  readonly id: string;
  readonly stdin: Readable;
  readonly signal: AbortSignal;
}

/** A request takes as much at most, whatever stdin gives at once. */
const pieceBytes = 256 * 1024;
/** A lost connection is tried again for half a minute. */
const attempts = 10;
const firstDelayMs = 100;
const longestDelayMs = 5000;

/** Passes it on to its end; done early when the command reads no more or the signal says so. */
export async function passInputOn({ api, id, stdin, signal }: CommandInputParts): Promise<void> {
  let offset = 0;
  const send = async (bytes: Uint8Array, end: boolean): Promise<void> => {
    await sendSurely(() => api.terminals.input(id, bytes, { offset, end, signal }), signal);
    offset += bytes.length;
  };
  try {
    for await (const chunk of stdin) {
      const bytes = chunk as Buffer;
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        await send(bytes.subarray(start, start + pieceBytes), false);
      }
    }
    await send(new Uint8Array(), true);
  } catch (error) {
    if (!signal.aborted && !isOver(error)) throw error;
  }
}

/** Sends again what may have been lost on its way: by its offset, the host knows what it has already. */
async function sendSurely(send: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isLost = error instanceof HoldfastError && error.code === "CONNECTION_FAILED";
      if (!isLost || attempt === attempts || signal.aborted) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(longestDelayMs, firstDelayMs * 2 ** attempt));
    });
  }
}

/** The command has ended, or has closed its input, as `head` does: nobody wants the rest. */
function isOver(error: unknown): boolean {
  return (
    error instanceof HoldfastError &&
    (error.code === "TERMINAL_EXITED" || error.code === "TERMINAL_NOT_FOUND")
  );
}
