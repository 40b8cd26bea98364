// The extent of a permission: exactly the command, in its folder and environment, or the files that it describes.
import type { ApprovalSubject, CommandSubject, EnvironmentChange, SubjectFile } from "@holdfast/ahp";
import { normalizeLine } from "./command-line.ts";
import { runsOutside } from "./subject.ts";

/** Whether the permission for one subject is also that for another. */
export function covers(described: ApprovalSubject, wanted: ApprovalSubject): boolean {
  if (described.kind === "command") return wanted.kind === "command" && coversCommand(described, wanted);
  if (described.kind === "other" || wanted.kind !== described.kind) return false;
  return wanted.files.every((file) => coversFile(described.files, file));
}

/** Without a described line nothing is covered: nobody has seen what would run. */
function coversCommand(described: CommandSubject, run: CommandSubject): boolean {
  if (described.line === undefined || run.line === undefined) return false;
  if (described.cwd !== run.cwd) return false;
  // Nobody who allows a command in the sandbox allows it outside, or in another place there.
  const isOutside = runsOutside(described) || runsOutside(run);
  if (isOutside && described.isolation !== run.isolation) return false;
  const isSameLine = normalizeLine(described.line, run.cwd) === normalizeLine(run.line, run.cwd);
  return isSameLine && isSameEnvironment(described.environment, run.environment);
}

/** Paths are compared after links were followed. */
function coversFile(described: readonly SubjectFile[], { path }: SubjectFile): boolean {
  return described.some((file) => file.path === path);
}

function isSameEnvironment(one: readonly EnvironmentChange[], other: readonly EnvironmentChange[]): boolean {
  if (one.length !== other.length) return false;
  const values = new Map(one.map(({ name, value }) => [name, value]));
  return other.every(({ name, value }) => values.has(name) && values.get(name) === value);
}
