// Runs the program on a real pseudo-terminal and types into it, for tests of what people see.
import { spawnSync } from "node:child_process";
import { Spawner, type Run, type RunExit } from "@holdfast/terminal/process";
import { expect, onTestFinished, vi } from "vitest";
import { programFile } from "./program-file.ts";

/** A busy machine takes its time to start a program. */
const timeoutMs = 25_000;
const shownCharacters = 2000;

/** A program and what its terminal has shown. */
export class TypedProgram {
  readonly #run: Run;
  readonly #record: Record;

  private constructor(run: Run, record: Record) {
    this.#run = run;
    this.#record = record;
  }

  /** Starts the program; it is ended with the test. */
  static start(words: readonly string[], cwd: string): Promise<TypedProgram> {
    return TypedProgram.#startCommand(process.execPath, [programFile, ...words], cwd);
  }

  /** Starts an interactive shell, in which `holdfast` is the program; it is ended with the test. */
  static async startShell(cwd: string): Promise<TypedProgram> {
    const shell = await TypedProgram.#startCommand("bash", ["--norc", "--noprofile", "-i"], cwd);
    shell.type(
      `bind 'set enable-bracketed-paste off'; PS1='ready$ '; holdfast() { '${process.execPath}' '${programFile}' "$@"; }\r`,
    );
    await shell.seen(/ready\$ $/);
    return shell;
  }

  static async #startCommand(command: string, args: readonly string[], cwd: string): Promise<TypedProgram> {
    const processPort = new Spawner({ environment: { PATH: process.env["PATH"], TERM: "xterm" } });
    onTestFinished(() => processPort.close(0));
    const record = new Record();
    const run = await processPort.start(
      {
        kind: "tty",
        command,
        args,
        cwd,
        env: { PATH: process.env["PATH"] ?? "", TERM: "xterm", NO_COLOR: "1" },
        size: { columns: 200, rows: 50 },
      },
      record,
    );
    return new TypedProgram(run, record);
  }

  get pid(): number {
    return this.#run.pid;
  }

  /** Everything that was written. */
  get raw(): string {
    return this.#record.text;
  }

  /** The text of it: without what moves the cursor, with line breaks as text has them. */
  get text(): string {
    return this.raw.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, "").replaceAll(/\r+\n/g, "\n");
  }

  type(text: string): void {
    this.#run.write(Buffer.from(text));
  }

  /** Waits until this is shown; with `from`, after so many characters. */
  async seen(what: string | RegExp, from = 0): Promise<void> {
    await this.#record.until(
      () => {
        const text = this.text.slice(from);
        return typeof what === "string" ? text.includes(what) : what.test(text);
      },
      `${String(what)} was not shown`,
    );
  }

  /** Waits until the shell has given the terminal to a job: it names the job first, and keys typed until then are its own. */
  async hasForegroundJob(): Promise<void> {
    await vi.waitFor(() => {
      const { stdout } = spawnSync("ps", ["-o", "tpgid=", "-p", String(this.pid)], { encoding: "utf8" });
      expect(Number(stdout)).not.toBe(this.pid);
    });
  }

  /** The process that the script in the foreground of the shell has started. */
  foregroundProgram(): number {
    const group = spawnSync("ps", ["-o", "tpgid=", "-p", String(this.pid)], { encoding: "utf8" });
    const { stdout } = spawnSync("ps", ["-A", "-o", "ppid=,pid="], { encoding: "utf8" });
    const pairs = stdout.split("\n").map((line) => line.trim().split(/\s+/));
    const [, pid] = pairs.find(([parent]) => parent === group.stdout.trim()) ?? [];
    if (pid === undefined) throw new Error("Nothing runs in the foreground");
    return Number(pid);
  }

  /** The exit code, once everything was shown. */
  async exitCode(): Promise<number | null> {
    await this.#record.until(() => this.#record.exitOf !== undefined, "it never ended");
    return this.#record.exitOf?.exitCode ?? null;
  }
}

class Record {
  text = "";
  exitOf: RunExit | undefined;
  readonly #decoder = new TextDecoder();
  readonly #watchers = new Set<() => void>();

  bytes(_stream: string, bytes: Uint8Array): void {
    this.text += this.#decoder.decode(bytes, { stream: true });
    this.#notify();
  }

  exit(exit: RunExit): void {
    this.exitOf = exit;
    this.#notify();
  }

  end(): void {
    this.#notify();
  }

  /** Rejects, with all that was shown, as soon as it can no longer come true, or has taken too long. */
  until(isTrue: () => boolean, problem: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (): void =>
        reject(new Error(`${problem}:\n${JSON.stringify(this.text.slice(-shownCharacters))}`));
      const timer = setTimeout(fail, timeoutMs);
      const look = (): void => {
        if (isTrue()) resolve();
        else if (this.exitOf !== undefined) fail();
        else return;
        clearTimeout(timer);
        this.#watchers.delete(look);
      };
      this.#watchers.add(look);
      look();
    });
  }

  #notify(): void {
    for (const watcher of this.#watchers) watcher();
  }
}
