// Tool calls in one line each, and how each of them ended in another (C22).
import type { TurnEventOf } from "@holdfast/sdk";
import type { Paint } from "../../paint.ts";
import { safeText } from "../../safe-text.ts";

/** A tool call as an event tells it. */
export type ToolCall = TurnEventOf<"tool_call">["data"];

type Fields = Readonly<Record<string, unknown>>;

/** The members of what should be an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The command line that a tool's input asks for, if it does. */
export function commandOf(rawInput: unknown): string | undefined {
  const { command } = fieldsOf(rawInput);
  if (typeof command === "string") return command;
  return Array.isArray(command) && command.length > 0 ? command.map(String).join(" ") : undefined;
}

/** What a call does: its command line, or its name. */
export function callLine({ title, rawInput }: ToolCall, paint: Paint): string {
  const command = commandOf(rawInput);
  if (command === undefined) return `${paint.blue("•")} ${safeText(title)}`;
  const name = title === command || title === "" ? "" : `${safeText(title)}: `;
  return `${paint.blue("$")} ${name}${paint.bold(safeText(command))}`;
}

/** How a call ended: what it changed, its exit code, its time, or what went wrong. */
export function endLine(call: ToolCall, elapsedMs: number | undefined, paint: Paint): string {
  const { exitCode, signal, durationMs } = { ...exitOf(call), ...fieldsOf(call.rawOutput) };
  const words: string[] = [];
  if (typeof exitCode === "number") words.push(`exit ${exitCode}`);
  else if (typeof signal === "string") words.push(`ended by ${safeText(signal)}`);
  else words.push(call.status === "failed" ? failureOf(call) : "done");
  const timeMs = typeof durationMs === "number" ? durationMs : elapsedMs;
  if (timeMs !== undefined) words.push(describeTime(timeMs));
  const paths = (call.content ?? []).map(fieldsOf).filter(({ type }) => type === "diff");
  words.push(...paths.map(({ path }) => `changed ${safeText(String(path))}`));
  const text = `  ${words.join(", ")}`;
  return call.status === "failed" ? paint.red(text) : paint.dim(text);
}

/** A time in the unit that people would use. */
function describeTime(timeMs: number): string {
  if (timeMs < 1000) return `${Math.round(timeMs)} ms`;
  const seconds = timeMs / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

/** How the last terminal of a call ended, where the call shows it. */
function exitOf({ content = [] }: ToolCall): Fields {
  const terminal = content.map(fieldsOf).findLast(({ type }) => type === "terminal");
  return fieldsOf(terminal?.["exitStatus"]);
}

/** What became of a call that did not do its work: why, in the host's word, and what it says of itself. */
function failureOf({ content = [], text, title }: ToolCall): string {
  const [, why = "failed"] = /^ \(([\w-]+)\)/.exec(text.slice(title.length)) ?? [];
  const shown = content.map(fieldsOf).find(({ type }) => type === "content");
  const { text: said } = fieldsOf(shown?.["content"]);
  const [first = ""] = typeof said === "string" ? said.split("\n", 1) : [];
  return first === "" ? why : `${why}: ${safeText(first)}`;
}
