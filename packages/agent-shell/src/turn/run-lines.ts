// Command lines of a prompt: each runs in a terminal of the client, inside a tool call that shows it, by a plan.
import { RpcError } from "@holdfast/jsonrpc";
import { type PlanEntry, textContent } from "../acp/session-update.ts";
import { MAX_OUTPUT_BYTES, type Terminal, type TerminalResult } from "../terminal.ts";
import { fence, formatDuration, inlineCode, shorten, tailOf } from "./message-text.ts";
import type { OpenToolCall, Turn } from "./turn.ts";
import { askPermission } from "./permission.ts";

/** Bytes of a line: the kernel takes 128 KiB for one argument, with the final NUL. */
const MAX_LINE_BYTES = 128 * 1024 - 1;
/** Characters of a title, which clients bound; the whole command is in `rawInput` (N830). */
const MAX_TITLE_LENGTH = 16 * 1024;
/** Characters of a command inside a sentence. */
const MAX_QUOTED_LENGTH = 400;

/** A command inside a sentence. */
export function quoteLine(line: string): string {
  return inlineCode(shorten(line, MAX_QUOTED_LENGTH));
}

function titleOf(line: string): string {
  return line.length <= MAX_TITLE_LENGTH ? line : shorten(line, MAX_QUOTED_LENGTH);
}

/** Runs lines in order; a rejected one ends the row, a failing one does not (S7). */
export async function runLines(turn: Turn, lines: readonly string[]): Promise<void> {
  if (turn.client.capabilities?.hasTerminals !== true) {
    await turn.say("This client offers no terminals to agents, so I cannot run commands here.");
    return;
  }
  const plan = new Plan(turn, lines);
  await plan.show();
  for (const [index, line] of lines.entries()) {
    turn.signal.throwIfAborted();
    await plan.mark(index, "in_progress");
    const outcome = await runLine(turn, line);
    if (outcome === "rejected") {
      await plan.mark(index, "pending");
      const skipped = lines.slice(index + 1).map((rest) => quoteLine(rest));
      if (skipped.length > 0) await turn.say(`Skipped: ${skipped.join(", ")}.`);
      return;
    }
    await plan.mark(index, outcome === "done" ? "completed" : "failed");
    turn.save();
  }
}

/** Shows how far the lines of a turn are; a turn with a single one has no plan (S7). */
class Plan {
  readonly #turn: Turn;
  readonly #entries: PlanEntry[];

  constructor(turn: Turn, lines: readonly string[]) {
    this.#turn = turn;
    this.#entries = lines.map((line) => ({
      content: titleOf(line),
      priority: "medium",
      status: "pending",
    }));
  }

  /** Sends the plan as it stands. */
  async show(): Promise<void> {
    if (this.#entries.length < 2) return;
    await this.#turn.emit({ sessionUpdate: "plan", entries: this.#entries.map((entry) => ({ ...entry })) });
  }

  /** Changes one entry and sends the plan; a failed step is over, and marked. */
  async mark(index: number, status: PlanEntry["status"] | "failed"): Promise<void> {
    const entry = this.#entries[index];
    if (entry !== undefined) {
      entry.status = status === "failed" ? "completed" : status;
      if (status === "failed") entry._meta = { holdfast: { outcome: "failed" } };
    }
    await this.show();
  }
}

/** How a line ended; `rejected`: the person did not want it. */
type LineOutcome = "done" | "failed" | "rejected";

/** Asks, runs, shows and reports one line (S6, S8, S9). */
async function runLine(turn: Turn, line: string): Promise<LineOutcome> {
  const { session } = turn;
  const { cwd } = session;
  const sizeBytes = Buffer.byteLength(line);
  const call = await turn.openCall({
    title: titleOf(line),
    kind: "execute",
    rawInput: { command: sizeBytes > MAX_LINE_BYTES ? titleOf(line) : line, cwd },
  });
  if (sizeBytes > MAX_LINE_BYTES) {
    const error = `The command has ${sizeBytes} bytes; the limit is ${MAX_LINE_BYTES}.`;
    await call.end("failed", { rawOutput: { error } });
    await turn.say(`${quoteLine(line)} was not run. ${error} Write it to a file and run that.`);
    return "failed";
  }
  const permission = await askPermission(turn, call, "commands");
  if (permission.decision === "refused") {
    await call.end("failed", { rawOutput: { error: permission.reason } });
    await turn.say(`${quoteLine(line)} was not run: ${permission.reason}.`);
    return "rejected";
  }
  try {
    const terminal = await turn.client.openTerminal(
      { sessionId: session.id, command: line, cwd },
      turn.signal,
    );
    try {
      return await showRun(turn, call, terminal);
    } finally {
      // A cancelled turn has waited for the kill already; nobody needs to wait for the rest.
      if (turn.signal.aborted) terminal.abandon();
      else await terminal.release();
    }
  } catch (error) {
    if (!(error instanceof RpcError) || turn.signal.aborted) throw error;
    await call.end("failed", { rawOutput: { error: error.message } });
    await turn.say(`${quoteLine(line)} could not be run: ${error.message}`);
    return "failed";
  }
}

async function showRun(turn: Turn, call: OpenToolCall, terminal: Terminal): Promise<LineOutcome> {
  // The terminal is gone when the history is read again, so that keeps the text instead.
  const shown = { type: "terminal", terminalId: terminal.id } as const;
  await call.update({ status: "in_progress", content: [shown] }, []);
  turn.save();
  const result = await terminal.finish(turn.signal);
  if (result !== undefined) return report(turn, call, result);
  turn.signal.throwIfAborted();
  return "failed";
}

async function report(turn: Turn, call: OpenToolCall, result: TerminalResult): Promise<LineOutcome> {
  const { exitCode, signal, durationMs } = result;
  const isFine = exitCode === 0 || result.end === "detached";
  const output = describeOutput(result);
  const rawOutput = { exitCode, signal, durationMs };
  await call.end(isFine ? "completed" : "failed", { rawOutput }, [textContent(output)]);
  turn.signal.throwIfAborted();
  const end = describeEnd(result);
  const isInTerminal = result.end === "exited";
  await turn.say(
    turn.session.output === "none" ? end : `${output}\n\n${end}`,
    isInTerminal ? call : undefined,
  );
  return isFine ? "done" : "failed";
}

function describeOutput({ output, isTruncated }: TerminalResult): string {
  if (output === "") return "No output.";
  const tail = tailOf(output, MAX_OUTPUT_BYTES);
  const isTail = isTruncated || tail.length < output.length;
  return isTail ? `The last ${MAX_OUTPUT_BYTES / 1024} KiB of the output:\n${fence(tail)}` : fence(tail);
}

function describeEnd({ end, exitCode, signal, durationMs }: TerminalResult): string {
  const duration = formatDuration(durationMs);
  if (end === "detached") return `Still running in the background, after ${duration}.`;
  if (exitCode !== null) return `Exit code ${exitCode} after ${duration}.`;
  if (signal !== null) return `Ended by ${signal} after ${duration}.`;
  return `Ended after ${duration}; nobody knows how.`;
}
