// Runs one command line in a terminal of the client, inside a tool call that shows it.
import { RpcError } from "@holdfast/jsonrpc";
import { textContent } from "../acp/tool-call.ts";
import { MAX_OUTPUT_BYTES } from "../terminal.ts";
import { formatDuration } from "./duration.ts";
import { fence, inlineCode, tailOf } from "./fenced-text.ts";
import { askPermission } from "./permission.ts";
import type { Terminal, TerminalResult } from "../terminal.ts";
import type { OpenToolCall } from "./open-tool-call.ts";
import type { Turn } from "./turn.ts";

/** Whether the line was run, well or badly, or the person did not want it. */
export type LineOutcome = "ran" | "rejected";

/** Asks, runs, shows and reports one line (S6, S8, S9). */
export async function runLine(turn: Turn, line: string): Promise<LineOutcome> {
  const { session } = turn;
  const { cwd } = session;
  const call = await turn.openCall({
    title: line,
    kind: "execute",
    rawInput: { command: line, cwd },
  });
  const permission = await askPermission(turn, call, "commands");
  if (permission.verdict === "refused") {
    await call.end("failed", { rawOutput: { error: permission.reason } });
    await turn.say(`${inlineCode(line)} was not run: ${permission.reason}.`);
    return "rejected";
  }
  try {
    const terminal = await turn.client.openTerminal(
      { sessionId: session.id, command: line, cwd },
      turn.signal,
    );
    try {
      await showRun(turn, call, terminal);
    } finally {
      // A cancelled turn has waited for the kill already; nobody needs to wait for the rest.
      if (turn.signal.aborted) terminal.abandon();
      else await terminal.release();
    }
  } catch (error) {
    if (!(error instanceof RpcError) || turn.signal.aborted) throw error;
    await call.end("failed", { rawOutput: { error: error.message } });
    await turn.say(`${inlineCode(line)} could not be run: ${error.message}`);
  }
  return "ran";
}

async function showRun(turn: Turn, call: OpenToolCall, terminal: Terminal): Promise<void> {
  // The terminal is gone when the history is read again, so that keeps the text instead.
  const shown = { type: "terminal", terminalId: terminal.id } as const;
  await call.update({ status: "in_progress", content: [shown] }, []);
  turn.save();
  const result = await terminal.finish(turn.signal);
  if (result === undefined) turn.signal.throwIfAborted();
  else await report(turn, call, result);
}

async function report(turn: Turn, call: OpenToolCall, result: TerminalResult): Promise<void> {
  const { exitCode, signal, durationMs } = result;
  const isFine = exitCode === 0 || result.end === "goes-on";
  const output = describeOutput(result);
  const rawOutput = { exitCode, signal, durationMs };
  await call.end(isFine ? "completed" : "failed", { rawOutput }, [textContent(output)]);
  turn.signal.throwIfAborted();
  const end = describeEnd(result);
  await turn.say(turn.session.output === "none" ? end : `${output}\n\n${end}`);
}

function describeOutput({ output, isTruncated }: TerminalResult): string {
  if (output === "") return "No output.";
  const tail = tailOf(output, MAX_OUTPUT_BYTES);
  const isTail = isTruncated || tail.length < output.length;
  return isTail ? `The end of the output:\n${fence(tail)}` : fence(tail);
}

function describeEnd({ end, exitCode, signal, durationMs }: TerminalResult): string {
  const duration = formatDuration(durationMs);
  if (end === "goes-on") return `It goes on without me, after ${duration}.`;
  if (exitCode !== null) return `Exit code ${exitCode} after ${duration}.`;
  if (signal !== null) return `Ended by ${signal} after ${duration}.`;
  return `Ended after ${duration}; nobody knows how.`;
}
