// The repair program as a child of this process: lines of JSON both ways, and its death is an answer too.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const maxHeapMebibytes = 512;

/** Signals that come from outside: from `close`, a terminal, a service manager, or a system without memory. */
const endingSignals: ReadonlySet<NodeJS.Signals> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"]);

/** A child that works on a database. `close` it. */
export class ChildProgram {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string, undefined>;

  /** `node` is the program that runs it, with its flags. */
  constructor(args: readonly string[], node: readonly string[] = [process.execPath]) {
    const [command = process.execPath, ...flags] = node;
    // A damaged file must not take the machine's memory with it.
    const limits = [`--max-old-space-size=${maxHeapMebibytes}`];
    this.#child = spawn(command, [...flags, ...limits, repairProgramPath, ...args], {
      stdio: ["pipe", "pipe", "ignore"],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    });
    this.#child.on("error", () => undefined);
    this.#child.stdin?.on("error", () => undefined);
    const output = this.#child.stdout;
    if (output === null) throw new TypeError("the child has no stdout");
    this.#lines = createInterface({ input: output })[Symbol.asyncIterator]();
  }

  /** The next message; undefined when there will be none. With a deadline, a child that misses it is ended. */
  async next(deadlineMs?: number): Promise<Readonly<Record<string, unknown>> | undefined> {
    const timer = deadlineMs === undefined ? undefined : setTimeout(() => this.close(), deadlineMs);
    const line: IteratorResult<string, undefined> = await this.#lines.next();
    clearTimeout(timer);
    if (line.done === true) return undefined;
    try {
      return JSON.parse(line.value) as Readonly<Record<string, unknown>>;
    } catch {
      // Cut off in the middle of its last line.
      return undefined;
    }
  }

  send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /**
   * What it died of: a signal, or an exit code. Undefined when that says nothing about the file: it could not be
   * started, or somebody ended it. Waits for its end.
   */
  async causeOfDeath(): Promise<string | undefined> {
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined) return undefined;
    if (exitCode === null && signalCode === null) await once(this.#child, "exit");
    const signal = this.#child.signalCode;
    if (signal === null) return `exit code ${this.#child.exitCode}`;
    return endingSignals.has(signal) ? undefined : signal;
  }

  /** Ends it. */
  close(): void {
    this.#child.kill("SIGKILL");
  }

  /** Lets this process end although it still runs; it is then ended by nobody. */
  unref(): void {
    this.#child.unref();
    (this.#child.stdout as { unref?: () => void } | null)?.unref?.();
    (this.#child.stdin as { unref?: () => void } | null)?.unref?.();
  }
}

/** The path of the program; always compiled, because Node 20 runs no TypeScript. */
const repairProgramPath: string = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../dist/repair/main.js" : "./main.js", import.meta.url),
);
