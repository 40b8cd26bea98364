// Following of a command on pipes to its end: its bytes to stdout as they are, stdin to it, no faster than it reads, Ctrl-C to it (C43–C46).
import process from "node:process";
import type { TerminalExit } from "@holdfast/ahp";
import { type Holdfast, HoldfastError, type TerminalEvent } from "@holdfast/sdk";
import { CommandError, systemReason } from "../command-error.ts";
import type { Console } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { stdoutFailure } from "../stdout.ts";
import { OutputFilter } from "./output-filter.ts";

export type CommandEnd =
  | { readonly kind: "exited"; readonly exit: TerminalExit; readonly skippedBytes: number }
  /** A signal ended this program; the command keeps running. */
  | { readonly kind: "left"; readonly signal: NodeJS.Signals }
  /** Nobody reads our output any more. */
  | { readonly kind: "unread" }
  /** Our output cannot be written, for this reason (C841). */
  | { readonly kind: "unwritable"; readonly reason: CommandError };

/** Follows a command until it ends, or until this program has to leave it. */
export async function followCommand(
  api: Holdfast,
  id: string,
  console: Console,
  { hasInput, trustsOutput }: { readonly hasInput: boolean; readonly trustsOutput: boolean },
): Promise<CommandEnd> {
  const { stdout } = console.streams;
  const leaving = new AbortController();
  const leave = (end: CommandEnd): void => leaving.abort(end);
  const onUnread = (error: unknown): void => leave(endOfOutput(error));
  stdout.on("error", onUnread);
  const stopSignals = listenToSignals(() => api.terminals.interrupt(id), leave);
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, leaving.signal]);
  // A command that lacks the rest of its input may never end, so its end is not waited for (C883).
  const inputFailure = new Promise<never>((_resolve, reject) => {
    if (hasInput) passInputOn(api, id, console, signal).catch(reject);
  });
  try {
    const writer = new OutputWriter(console, trustsOutput);
    // Only opening the stream fails as a lost connection: one that was open resumes without us, or is broken.
    const end = trySurely(() => readToEnd(api, id, writer, signal), signal);
    return await Promise.race([end, inputFailure]);
  } catch (error) {
    // The write itself may fail before stdout says so.
    if (error instanceof CommandError) leave(endOfOutput(error.cause));
    if (!leaving.signal.aborted) throw error;
    const end = leaving.signal.reason as CommandEnd;
    // A pipe without a reader is how a pipe asks its writer to stop.
    if (end.kind === "unread" || end.kind === "unwritable") await api.terminals.kill(id);
    return end;
  } finally {
    over.abort();
    stdout.off("error", onUnread);
    stopSignals();
  }
}

function endOfOutput(error: unknown): CommandEnd {
  const reason = stdoutFailure(error, EXIT_CODES.notRun);
  return reason === undefined ? { kind: "unread" } : { kind: "unwritable", reason };
}

async function readToEnd(
  api: Holdfast,
  id: string,
  writer: OutputWriter,
  signal: AbortSignal,
): Promise<CommandEnd> {
  let exit: TerminalExit = { kind: "unknown", reason: "The host did not report it" };
  let skippedBytes = 0;
  for await (const event of api.terminals.stream(id, { after: 0, paced: true, signal })) {
    if (event.type === "exited") exit = event.data.exit;
    if (event.type === "skipped") skippedBytes += event.data.skippedBytes;
    await writer.write(event);
    signal.throwIfAborted();
  }
  return { kind: "exited", exit, skippedBytes };
}

/** Writes a command's events here: every byte to a file or pipe, and to a window all that it may do there (C624). */
class OutputWriter {
  readonly #console: Console;
  readonly #output: OutputFilter | undefined;
  readonly #error: OutputFilter | undefined;

  constructor(console: Console, trustsOutput: boolean) {
    const { stdout, stderr } = console.streams;
    this.#console = console;
    this.#output = stdout.isTTY && !trustsOutput ? new OutputFilter() : undefined;
    this.#error = stderr.isTTY && !trustsOutput ? new OutputFilter() : undefined;
  }

  async write(event: TerminalEvent): Promise<void> {
    if (this.#console.json) return this.#console.printJson(eventRecord(event));
    if (event.type !== "output") return undefined;
    const { bytes, stream } = event.data;
    return stream === "error"
      ? this.#console.writeError(this.#error?.push(bytes) ?? bytes)
      : this.#console.write(this.#output?.push(bytes) ?? bytes);
  }
}

/** An event as `--json` prints it: its bytes in base64. */
export function eventRecord(event: TerminalEvent): object {
  if (event.type !== "output") return { type: event.type, data: event.data };
  const { bytes, ...data } = event.data;
  return { type: "output", data: { ...data, bytes: Buffer.from(bytes).toString("base64") } };
}

/** The first Ctrl-C interrupts the command, the second leaves; to hang up or terminate this program only leaves. */
function listenToSignals(
  interruptCommand: () => Promise<void>,
  leave: (end: CommandEnd) => void,
): () => void {
  let interrupts = 0;
  const interrupt = (): void => {
    interrupts += 1;
    if (interrupts > 1) leave({ kind: "left", signal: "SIGINT" });
    // Whether the host heard it shows in how the command ends; a person who sees nothing happen presses again.
    else interruptCommand().catch(() => undefined);
  };
  const hangUp = (): void => leave({ kind: "left", signal: "SIGHUP" });
  const terminate = (): void => leave({ kind: "left", signal: "SIGTERM" });
  process.on("SIGINT", interrupt).on("SIGHUP", hangUp).on("SIGTERM", terminate);
  return () => {
    process.off("SIGINT", interrupt).off("SIGHUP", hangUp).off("SIGTERM", terminate);
  };
}

/** A request takes as much at most, whatever stdin gives at once. */
const pieceBytes = 256 * 1024;
/** A lost connection is tried again for half a minute. */
const attempts = 10;
/** Attempts that a host leaves without any response, 5 s each; the stream of the output has as many. */
const maxInputSilences = 3;
const firstDelayMs = 100;
const longestDelayMs = 5000;

/** Passes it on to its end; done early when the command reads no more or the signal says so. */
async function passInputOn(api: Holdfast, id: string, console: Console, signal: AbortSignal): Promise<void> {
  let offset = 0;
  const send = async (bytes: Uint8Array, end: boolean): Promise<void> => {
    // What is sent again is known to the host by its offset.
    const ask = (): Promise<void> => api.terminals.input(id, bytes, { offset, end, signal });
    await trySurely(ask, signal, maxInputSilences);
    offset += bytes.length;
  };
  try {
    for await (const bytes of inputOf(console)) {
      for (let start = 0; start < bytes.length; start += pieceBytes) {
        await send(bytes.subarray(start, start + pieceBytes), false);
      }
    }
    await send(new Uint8Array(), true);
  } catch (error) {
    if (!signal.aborted && !isOver(error)) throw error;
  }
}

/** The bytes of stdin. One that cannot be read ends here: the command must get an end of its input, too (C882). */
async function* inputOf(console: Console): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of console.streams.stdin) yield chunk as Buffer;
  } catch (error) {
    console.warn(`Cannot read stdin: ${systemReason(error)}. The command's input ends here.`);
  }
}

/** Asks the host again when it could not be reached, or stops or starts; it was there when it created the terminal. */
async function trySurely<Result>(
  ask: () => Promise<Result>,
  signal: AbortSignal,
  maxSilences = 1,
): Promise<Result> {
  let silences = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (isSilence(error)) silences += 1;
      const mayPass = isSilence(error) ? silences < maxSilences : isPassing(error);
      if (!mayPass || attempt === attempts || signal.aborted) throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, Math.min(longestDelayMs, firstDelayMs * 2 ** attempt));
    });
  }
}

function isSilence(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === "HOST_NOT_RESPONDING";
}

/** Whether another attempt may succeed: nothing responded, or a host that is busy, starting or stopping did. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof HoldfastError)) return false;
  const { code, status } = error;
  return code === "CONNECTION_FAILED" || status === 429 || (status !== undefined && status >= 500);
}

/** The command has ended, or has closed its input, as `head` does: nobody wants the rest. */
function isOver(error: unknown): boolean {
  return (
    error instanceof HoldfastError &&
    (error.code === "TERMINAL_EXITED" || error.code === "TERMINAL_NOT_FOUND")
  );
}
