// Subjects of a decision: commands, files and tool calls.
import type { ShellDialect } from "./shell/shell-line.ts";

/** Who acts, and where. */
export interface Circumstances {
  readonly agent?: string | undefined;
  readonly app?: string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The folders that `$ROOT` stands for. */
  readonly roots: readonly string[];
  /** The directory that `~` stands for. */
  readonly home?: string | undefined;
  /** Follows symbolic links; without it paths are compared as they are written. */
  readonly realPath?: ((path: string) => string) | undefined;
}

/** A command that is about to run: a line for a shell, or a program with its arguments. */
export interface CommandSubject extends Circumstances {
  readonly kind: "command";
  readonly run:
    | { readonly line: string; readonly dialect?: ShellDialect | undefined }
    | { readonly argv: readonly string[] };
  /** Names of the environment variables that the request changes. */
  readonly env?: readonly string[] | undefined;
}

/** A file that is about to be read or written. */
export interface FileSubject extends Circumstances {
  readonly kind: "read" | "write";
  /** Absolute. */
  readonly path: string;
}

/** A tool call as its agent describes it. */
export interface ToolSubject extends Circumstances {
  readonly kind: "tool";
  /** read, edit, execute …; undefined if the agent does not say. */
  readonly toolKind: string | undefined;
  readonly paths?: readonly string[] | undefined;
}

/** Something that a policy decides about. */
export type Subject = CommandSubject | FileSubject | ToolSubject;
