// Follows a command on pipes to its end: its bytes to stdout as they are, stdin to it, Ctrl-C to it (C43–C46).
import process from "node:process";
import type { TerminalExit } from "@holdfast/ahp";
import type { Holdfast, TerminalEvent } from "@holdfast/sdk";
import type { Console } from "../console.ts";
import { passInputOn } from "./command-input.ts";

/** What a command is followed with. */
export interface CommandStreamParts {
  readonly api: Holdfast;
  readonly id: string;
  readonly console: Console;
  readonly hasInput: boolean;
}

/** How the following came to an end. */
export type CommandEnd =
  | { readonly kind: "exited"; readonly exit: TerminalExit; readonly skippedBytes: number }
  /** This program was told to leave; the command goes on. */
  | { readonly kind: "left"; readonly signal: NodeJS.Signals }
  /** Nobody reads our output any more. */
  | { readonly kind: "unread" };

/** Follows a command until it ends, or until this program has to leave it. */
export async function followCommand(parts: CommandStreamParts): Promise<CommandEnd> {
  const { api, id, console, hasInput } = parts;
  const { stdin, stdout } = console.streams;
  const leaving = new AbortController();
  const leave = (end: CommandEnd): void => leaving.abort(end);
  const onUnread = (): void => leave({ kind: "unread" });
  stdout.on("error", onUnread);
  const stopSignals = listenToSignals(() => api.terminals.kill(id), leave);
  const over = new AbortController();
  const input = hasInput
    ? passInputOn({ api, id, stdin, signal: AbortSignal.any([over.signal, leaving.signal]) })
    : Promise.resolve();
  // A failure of the input is told with the command's end, which it may well have caused.
  const inputFailure = input.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  try {
    const end = await readToEnd(parts, leaving.signal);
    over.abort();
    const failure = await Promise.race([inputFailure, Promise.resolve()]);
    if (failure !== undefined) throw failure.error;
    return end;
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    const end = leaving.signal.reason as CommandEnd;
    // A pipe without a reader is how a pipe asks its writer to stop.
    if (end.kind === "unread") await api.terminals.kill(id);
    return end;
  } finally {
    over.abort();
    stdout.off("error", onUnread);
    stopSignals();
  }
}

async function readToEnd({ api, id, console }: CommandStreamParts, signal: AbortSignal): Promise<CommandEnd> {
  let exit: TerminalExit = { kind: "unknown", reason: "The host did not say" };
  let skippedBytes = 0;
  for await (const event of api.terminals.stream(id, { after: 0, paced: true, signal })) {
    if (event.type === "exited") exit = event.data.exit;
    if (event.type === "skipped") skippedBytes += event.data.skippedBytes;
    await writeEvent(console, event);
    signal.throwIfAborted();
  }
  return { kind: "exited", exit, skippedBytes };
}

async function writeEvent(console: Console, event: TerminalEvent): Promise<void> {
  if (!console.json) {
    if (event.type === "output") await console.write(event.data.bytes);
    return;
  }
  const { type, data } = event;
  const shown = type === "output" ? { ...data, bytes: Buffer.from(data.bytes).toString("base64") } : data;
  await console.printJson({ type, data: shown });
}

/** The first Ctrl-C ends the command, the second leaves; to hang up or terminate this program only leaves. */
function listenToSignals(kill: () => Promise<void>, leave: (end: CommandEnd) => void): () => void {
  let interrupts = 0;
  const interrupt = (): void => {
    interrupts += 1;
    if (interrupts > 1) leave({ kind: "left", signal: "SIGINT" });
    // Whether the host heard it shows in how the command ends; a person who sees nothing happen presses again.
    else kill().catch(() => undefined);
  };
  const hangUp = (): void => leave({ kind: "left", signal: "SIGHUP" });
  const terminate = (): void => leave({ kind: "left", signal: "SIGTERM" });
  process.on("SIGINT", interrupt).on("SIGHUP", hangUp).on("SIGTERM", terminate);
  return () => {
    process.off("SIGINT", interrupt).off("SIGHUP", hangUp).off("SIGTERM", terminate);
  };
}
