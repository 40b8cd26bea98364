// Sandboxes as the process port knows them: what one hides, what it allows, and what it could not do.

/** How much of the machine a session's processes see, weakest first. */
export type IsolationLevel = "none" | "guard" | "workspace";

/** The enforcer of a level. */
export type IsolationBackend = "bubblewrap-user" | "bubblewrap-root" | "landlock" | "seatbelt" | "none";

/** A sandbox to open. All paths are absolute; those that do not exist are left out. */
export interface SandboxSpec {
  readonly level: Exclude<IsolationLevel, "none">;
  /** Folders and files that are not there. */
  readonly hidden: readonly string[];
  /** Paths below hidden folders that are there nevertheless. At the level `workspace` they can be changed where writable. */
  readonly visible: readonly string[];
  /** Paths that cannot be changed; session roots inside them can. */
  readonly readOnly: readonly string[];
  /** Paths that cannot be changed, whatever is writable around them or inside. */
  readonly fixed?: readonly string[];
  /** Level `workspace`: the only paths that can be changed. */
  readonly writable: readonly string[];
}

/** The level and backend of a sandbox, for people and for the audit. */
export interface SandboxReport {
  readonly level: IsolationLevel;
  readonly backend: IsolationBackend;
  /** Sentences: what the level promises and this backend does not do. */
  readonly gaps: readonly string[];
}

/** The isolation of a machine, as found by running a command with each backend. */
export interface IsolationReport {
  readonly backend: IsolationBackend;
  readonly gaps: readonly string[];
  /** Why stronger backends are not used. */
  readonly obstacles: readonly { readonly backend: IsolationBackend; readonly reason: string }[];
}

/** An open sandbox; its owner closes it. Processes in it live on until they end. */
export interface Sandbox extends SandboxReport {
  readonly id: string;
  close(): void;
}

/** The levels in order: a later one is stronger. */
export const ISOLATION_LEVELS: readonly IsolationLevel[] = ["none", "guard", "workspace"];

/** The stronger of two levels. */
export function strongerLevel(one: IsolationLevel, other: IsolationLevel): IsolationLevel {
  return ISOLATION_LEVELS.indexOf(one) >= ISOLATION_LEVELS.indexOf(other) ? one : other;
}
