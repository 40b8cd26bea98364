// Real bash as the oracle of the shell parser: every program is a stub that notes its arguments in an empty folder.
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A program that ran. */
export interface Execution {
  readonly argv: readonly string[];
  readonly cwd: string;
}

/** The observed effects of a line. */
export interface Observed {
  readonly executions: readonly Execution[];
  /** Files that were created or changed, relative to the folder. */
  readonly written: readonly string[];
  readonly folder: string;
}

const stubs = ["a", "b", "ab", "f1", "12"];
const real = ["env", "nice", "nohup", "timeout", "xargs", "sh", "bash"];
const files = ["f1", "ab", "aab", "d/x", "d/y"];
const timeoutMs = 3000;
/** Nobody: the least that a process can be. */
const nobody = 65_534;

/** Whether a line may run here: it names no path outside the folder and defines nothing that could call itself. */
export function isHarmless(line: string): boolean {
  if (line.includes("..") || line.includes("\0") || /\(\s*\)|function/.test(line)) return false;
  const withoutNull = line.replaceAll("</dev/null", "");
  const slashes = withoutNull.split("/").length - 1;
  const allowed = [...withoutNull.matchAll(/(?<=^|[\s=<>|&;(])(?:d|~)\//g)].length;
  return slashes === allowed && !/\bkill\b/.test(line);
}

/** A folder in which lines run. */
export class ShellOracle {
  readonly #base: string;
  readonly #bin: string;
  readonly #work: string;
  readonly #log: string;

  constructor(parent = tmpdir()) {
    this.#base = realpathSync(mkdtempSync(join(parent, "shell-oracle-")));
    this.#bin = join(this.#base, "bin");
    this.#work = join(this.#base, "work");
    this.#log = join(this.#base, "log");
    chmodSync(this.#base, 0o755);
    mkdirSync(this.#bin);
    const script = `#!/bin/sh\n{ printf '%s\\0' "$#" "\${0##*/}" "$PWD" "$@"; } >> '${this.#log}'\n`;
    for (const name of stubs) writeFileSync(join(this.#bin, name), script, { mode: 0o755 });
    for (const name of real) {
      const found = ["/usr/bin", "/bin"].map((folder) => join(folder, name)).find((file) => existsSync(file));
      if (found !== undefined) symlinkSync(found, join(this.#bin, name));
    }
  }

  get folder(): string {
    return this.#work;
  }

  /** Runs a line; undefined if it did not end in time. */
  async run(line: string, shell = "/bin/bash"): Promise<Observed | undefined> {
    this.#prepare();
    const isRoot = process.getuid?.() === 0;
    const child = spawn(shell, ["-c", line, "zero", "one", "two"], {
      cwd: this.#work,
      env: { PATH: this.#bin, HOME: this.#work, X: "a b", E: "" },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
      ...(isRoot && { uid: nobody, gid: nobody }),
    });
    const { pid } = child;
    child.stdout.resume();
    child.stderr.resume();
    const endGroup = (): void => {
      try {
        if (pid !== undefined) process.kill(-pid, "SIGKILL");
      } catch {
        // Nothing of the group is left.
      }
    };
    const isOver = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      child.once("close", () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    endGroup();
    return isOver
      ? { executions: this.#readLog(), written: this.#readFiles(), folder: this.#work }
      : undefined;
  }

  close(): void {
    rmSync(this.#base, { recursive: true, force: true });
  }

  #prepare(): void {
    rmSync(this.#work, { recursive: true, force: true });
    mkdirSync(join(this.#work, "d"), { recursive: true });
    for (const file of files) writeFileSync(join(this.#work, file), "x");
    for (const file of ["", "d", ...files]) chmodSync(join(this.#work, file), 0o777);
    writeFileSync(this.#log, "");
    chmodSync(this.#log, 0o666);
  }

  #readLog(): Execution[] {
    const fields = readFileSync(this.#log, "utf8").split("\0");
    const executions: Execution[] = [];
    for (let at = 0; at + 2 < fields.length;) {
      const count = Number(fields[at]);
      const [program = "", cwd = ""] = fields.slice(at + 1, at + 3);
      executions.push({ argv: [program, ...fields.slice(at + 3, at + 3 + count)], cwd });
      at += 3 + count;
    }
    return executions;
  }

  #readFiles(): string[] {
    const found = readdirSync(this.#work, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.#work.length + 1));
    return found.filter(
      (file) => !files.includes(file) || readFileSync(join(this.#work, file), "utf8") !== "x",
    );
  }
}
