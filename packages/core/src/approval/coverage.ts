// What an approval covers: the command or the write of the tool call that a person said yes to, so nobody is asked twice.
import type { JsonValue } from "@holdfast/ahp";

/** A tool call that was approved and is not finished. */
export interface ApprovedCall {
  readonly toolCallId: string;
  readonly kind: string | undefined;
  readonly paths: readonly string[];
  readonly rawInput: JsonValue | undefined;
}

const commandKinds = new Set(["execute"]);
const writeKinds = new Set(["edit", "delete", "move"]);
const coverNothing = new Set(["read", "search", "think", "fetch"]);

/** True when the approval of this call covers running that command. */
export function coversCommand(call: ApprovedCall, command: string, args: readonly string[]): boolean {
  if (!coversKind(call.kind, commandKinds)) return false;
  const named = namedCommand(call.rawInput);
  return named === undefined || shownLines(command, args).includes(named);
}

/** True when the approval of this call covers writing that file, which lies inside the session's folders or not. */
export function coversWrite(call: ApprovedCall, path: string, isInside: boolean): boolean {
  if (!coversKind(call.kind, writeKinds)) return false;
  const named = namedPath(call.rawInput);
  if (named !== undefined && named !== path && !call.paths.includes(path)) return false;
  return call.paths.length > 0 || named !== undefined ? [...call.paths, named].includes(path) : isInside;
}

/** A shell's `-c`, alone or among the flags that agents put before it. */
const scriptFlag = /^-[a-z]*c$/;
/** Agents change to the working directory first; that is not part of what was shown. */
const changeDirectory = /^cd (?:'[^']*'|"[^"$`\\]*"|[\w./~-]+) && /;

/** The lines by which an agent may have shown this command: as it is, or what is in the `bash -c` around it. */
function shownLines(command: string, args: readonly string[]): string[] {
  const line = [command, ...args].join(" ").trim();
  const [flag, script] = args;
  const isWrapped = args.length === 2 && flag !== undefined && script !== undefined && scriptFlag.test(flag);
  const inner = isWrapped ? script.trim() : line;
  return [line, inner, inner.replace(changeDirectory, "").trim()];
}

function coversKind(kind: string | undefined, kinds: ReadonlySet<string>): boolean {
  if (kind === undefined) return true;
  if (coverNothing.has(kind)) return false;
  // `other` and kinds we do not know say nothing about what they do.
  return kinds.has(kind) || !(commandKinds.has(kind) || writeKinds.has(kind));
}

function namedCommand(rawInput: JsonValue | undefined): string | undefined {
  const command = field(rawInput, ["command", "cmd"]);
  if (Array.isArray(command)) return command.join(" ");
  return typeof command === "string" && command !== "" ? command.trim() : undefined;
}

function namedPath(rawInput: JsonValue | undefined): string | undefined {
  const path = field(rawInput, ["path", "file_path", "filePath", "abs_path", "absolute_path"]);
  return typeof path === "string" && path !== "" ? path : undefined;
}

function field(rawInput: JsonValue | undefined, names: readonly string[]): unknown {
  if (typeof rawInput !== "object" || rawInput === null || Array.isArray(rawInput)) return undefined;
  const values = rawInput as Readonly<Record<string, unknown>>;
  return names.map((name) => values[name]).find((value) => value !== undefined);
}
