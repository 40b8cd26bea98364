// Follows `cd` through a line: which targets are certainly in force, or that nobody can know.
import type { ShellWord } from "./shell-line.ts";

type Folders = readonly string[] | undefined;

const start: readonly string[] = [];
const changes = new Set(["cd", "pushd", "popd", "eval", "source", ".", "command", "builtin", "exec"]);

export class FolderState {
  #current: Folders = start;
  /** The result of a `cd` that was just read, if it succeeds. */
  #pending: Folders | "none" = "none";

  get current(): Folders {
    return this.#current;
  }

  /** The state now, for `reset`, `blur`, `end` and `hasChangedSince`. */
  begin(): Folders {
    this.#settle();
    return this.#current;
  }

  /** Notes a simple command that was read. */
  run(words: readonly ShellWord[], hasAssignments: boolean): void {
    this.#settle();
    const [program, target] = words;
    if (program === undefined || (program.value !== undefined && !changes.has(program.value))) return;
    const value = target?.value;
    const isPlain = program.value === "cd" && words.length === 2 && !hasAssignments;
    if (isPlain && value !== undefined && value !== "" && !value.startsWith("-")) {
      this.#pending = this.#current === undefined ? undefined : [...this.#current, value];
    } else this.#pending = undefined;
  }

  /** Between the commands of a list: after `&&` the command before it succeeded, if nothing else could come here. */
  connect(isCertain: boolean): void {
    if (isCertain && this.#pending !== "none") this.#current = this.#pending;
    else this.#settle();
    this.#pending = "none";
  }

  /** After a list of commands: what ran in the background changed nothing here; what may have failed is uncertain. */
  end(before: Folders, isBackground: boolean): void {
    this.#settle();
    if (isBackground) this.#current = before;
    else if (this.#current !== before) this.#current = undefined;
  }

  /** Back to the state before, for commands that run in a separate process. */
  reset(before: Folders): void {
    this.#current = before;
    this.#pending = "none";
  }

  /** Uncertain, if something changed since. */
  blur(before: Folders): void {
    this.#settle();
    if (this.#current !== before) this.#current = undefined;
  }

  hasChangedSince(before: Folders): boolean {
    this.#settle();
    return this.#current !== before;
  }

  forget(): void {
    this.#current = undefined;
    this.#pending = "none";
  }

  inSubshell(read: () => void): void {
    const current = this.#current;
    const pending = this.#pending;
    this.#pending = "none";
    read();
    this.#current = current;
    this.#pending = pending;
  }

  /** A `cd` that may have failed leaves the folder unknown. */
  #settle(): void {
    if (this.#pending !== "none") this.#current = undefined;
    this.#pending = "none";
  }
}
