// Actions of a session's agent, as rules see them.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import type { ApprovalSubject } from "@holdfast/ahp";
import type { CommandSubject, FileSubject, Subject, ToolSubject } from "@holdfast/terminal/policy";
import { followLinksNow } from "../resource/links.ts";

/** The part of a subject that is about the action itself. */
export type RuledAction =
  | Pick<CommandSubject, "kind" | "run" | "env" | "cwd">
  | Pick<FileSubject, "kind" | "path">
  | Pick<ToolSubject, "kind" | "toolKind" | "paths">;

/** Who acts, and in which folders. */
export interface RuledSession {
  readonly agent: string;
  readonly app?: string | undefined;
  readonly roots: readonly string[];
}

/** The action with everything that rules may ask about. */
export function subjectOf(action: RuledAction, { agent, app, roots }: RuledSession): Subject {
  const cwd = roots[0] ?? "/";
  return { cwd, ...action, agent, app, roots, home: homedir(), realPath: followLinksNow };
}

/** A command as it will run: a program with arguments, or a line for the shell. */
export function ruledRun(command: string, args: readonly string[], cwd: string): CommandSubject["run"] {
  // A file whose name looks like a line is executed as a program.
  const isProgram = args.length > 0 || (command.includes("/") && existsSync(path.resolve(cwd, command)));
  return isProgram ? { argv: [command, ...args] } : { line: command };
}

/** A tool call that an agent asks about: by the command that it shows, else by its kind and files. */
export function ruledCall(toolKind: string | undefined, subject: ApprovalSubject): RuledAction {
  if (subject.kind === "command" && subject.line !== undefined) {
    const env = subject.environment.map(({ name }) => name);
    return { kind: "command", run: { line: subject.line }, env, cwd: subject.cwd };
  }
  const files = subject.kind === "write" || subject.kind === "read" ? subject.files : [];
  return { kind: "tool", toolKind, paths: files.map(({ path: file }) => file) };
}
