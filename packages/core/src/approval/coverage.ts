// The extent of an approval: the command or the write of the tool call that a person allowed, so nobody is asked twice.
import { isAbsolute } from "node:path";
import type { JsonValue } from "@holdfast/ahp";

/** A tool call that was approved and is not finished. */
export interface ApprovedCall {
  readonly toolCallId: string;
  readonly kind: string | undefined;
  readonly paths: readonly string[];
  readonly rawInput: JsonValue | undefined;
}

/** A command that an agent is about to run. */
export interface CommandToRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

const commandKinds = new Set(["execute"]);
const writeKinds = new Set(["edit", "delete", "move"]);
const coverNothing = new Set(["read", "search", "think", "fetch"]);

/** True when the approval of this call covers running that command; `isInside` is about its working directory. */
export function coversCommand(call: ApprovedCall, run: CommandToRun, isInside: boolean): boolean {
  if (!coversKind(call.kind, commandKinds)) return false;
  const line = namedCommand(call.rawInput);
  if (line !== undefined && !shownLines(run).includes(line)) return false;
  const folder = namedPath(call.rawInput, ["cwd", "workdir", "working_directory"]);
  return folder !== undefined && isAbsolute(folder) ? folder === run.cwd : isInside;
}

/** True when the approval of this call covers writing that file; `isInside` is about the file. */
export function coversWrite(call: ApprovedCall, path: string, isInside: boolean): boolean {
  if (!coversKind(call.kind, writeKinds)) return false;
  const named = namedPath(call.rawInput, ["path", "file_path", "filePath", "abs_path", "absolute_path"]);
  if (named !== undefined && named !== path && !(isInside && isShortFor(named, path))) return false;
  if (call.paths.length > 0) return call.paths.includes(path);
  return named !== undefined || isInside;
}

/** Some agents name a file by the end of its path. */
function isShortFor(named: string, path: string): boolean {
  return !isAbsolute(named) && path.endsWith(`/${named}`);
}

/** A shell's `-c`, alone or with the flags that agents put before it. */
const scriptFlag = /^-[a-z]*c$/;
/** Prefixes that agents put before a line to run it in its folder. */
const changeOfFolder = /^cd (?:'([^']*)'|"([^"$`\\]*)"|([\w./~-]+)) && /;

/** The lines by which an agent may have shown this command: as it is, or what is inside the `bash -c` around it. */
function shownLines({ command, args, cwd }: CommandToRun): string[] {
  const line = [command, ...args].join(" ").trim();
  const [flag, script] = args;
  const isWrapped = args.length === 2 && flag !== undefined && script !== undefined && scriptFlag.test(flag);
  const inner = isWrapped ? script.trim() : line;
  const change = changeOfFolder.exec(inner);
  if (change === null || !change.slice(1).includes(cwd)) return [line, inner];
  return [line, inner, inner.slice(change[0].length).trim()];
}

function coversKind(kind: string | undefined, kinds: ReadonlySet<string>): boolean {
  if (kind === undefined) return true;
  if (coverNothing.has(kind)) return false;
  // `other` and kinds we do not know say nothing about what they do.
  return kinds.has(kind) || !(commandKinds.has(kind) || writeKinds.has(kind));
}

function namedCommand(rawInput: JsonValue | undefined): string | undefined {
  const command = field(rawInput, ["command", "cmd"]);
  const args = field(rawInput, ["args"]);
  const parts = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].flat();
  return typeof command === "string" || Array.isArray(command)
    ? parts.join(" ").trim() || undefined
    : undefined;
}

function namedPath(rawInput: JsonValue | undefined, names: readonly string[]): string | undefined {
  const path = field(rawInput, names);
  return typeof path === "string" && path !== "" ? path : undefined;
}

function field(rawInput: JsonValue | undefined, names: readonly string[]): unknown {
  if (typeof rawInput !== "object" || rawInput === null || Array.isArray(rawInput)) return undefined;
  const values = rawInput as Readonly<Record<string, unknown>>;
  return names.map((name) => values[name]).find((value) => value !== undefined);
}
