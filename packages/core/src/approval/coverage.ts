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
  // Agents wrap the line they showed in `bash -c "cd … && …"`: it must be in there as it was shown.
  return named === undefined || [command, ...args].join(" ").includes(named);
}

/** True when the approval of this call covers writing that file. */
export function coversWrite(call: ApprovedCall, path: string): boolean {
  if (!coversKind(call.kind, writeKinds)) return false;
  const named = namedPath(call.rawInput);
  const paths = named === undefined ? call.paths : [...call.paths, named];
  return paths.length === 0 || paths.includes(path);
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
