// Starts runs and owns what they share: the spawn helper, the FIFOs, the read budget.
import { randomUUID } from "node:crypto";
import { TerminalError } from "../terminal-error.ts";
import { FifoPool } from "./fifo-pool.ts";
import { HelperLauncher } from "./helper-launcher.ts";
import type { LaunchRequest, Launcher } from "./launch.ts";
import { platform } from "./platform.ts";
import { PortableIo, PortableLauncher } from "./portable-launcher.ts";
import { checkSize } from "./pty.ts";
import { ReadBudget } from "./read-budget.ts";
import { type RunIo, StdioIo, TextIo, TtyIo } from "./run-io.ts";
import { type RunRequest, checkRunRequest } from "./run-request.ts";
import { Run, type RunSink } from "./run.ts";

/** How a spawner works. */
export interface SpawnerOptions {
  /** `helper` wherever there is one; `child_process` forks from the host itself. */
  readonly forkBy?: "helper" | "child_process" | undefined;
}

/** Starts children; one for a whole host. */
export class Spawner {
  readonly #budget = new ReadBudget();
  readonly #runs = new Set<Run>();
  readonly #launcher: Launcher;
  readonly #helper: HelperLauncher | undefined;
  readonly #fifos: FifoPool;
  #closed: Promise<void> | undefined;

  constructor(options: SpawnerOptions = {}) {
    const useHelper = platform.isPosix && options.forkBy !== "child_process";
    this.#helper = useHelper ? new HelperLauncher(() => this.#fifos.discard()) : undefined;
    this.#launcher = this.#helper ?? new PortableLauncher();
    this.#fifos = new FifoPool(this.#launcher);
  }

  /** The spawn helper's pid; undefined without one. */
  get helperPid(): number | undefined {
    return this.#helper?.pid;
  }

  /** Starts a child. Rejects with a `TerminalError` that names what is wrong, and leaves nothing behind. */
  async run(request: RunRequest, sink: RunSink): Promise<Run> {
    const limits = checkRunRequest(request);
    if (this.#closed !== undefined) throw new TerminalError("closed", "The terminal engine is closed");
    const { wallClockMs: _wall, outputBytes: _bytes, ...kernelLimits } = limits;
    const marker = randomUUID();
    const io = await this.#openIo(request);
    const launch: LaunchRequest = {
      command: request.command,
      args: request.args ?? [],
      cwd: request.cwd,
      env: request.env,
      io: io.files,
      tree: request.tree ?? "auto",
      limits: kernelLimits,
      marker,
    };
    const run = await Run.start(
      { kind: request.kind, io, launcher: this.#launcher, budget: this.#budget, limits, sink },
      launch,
    );
    this.#runs.add(run);
    return run;
  }

  /** Lets go of an ended run. */
  release(run: Run): void {
    this.#runs.delete(run);
    run.close();
  }

  /** Ends every tree, then the helper. Idempotent. */
  close(graceMs = 2000): Promise<void> {
    this.#closed ??= this.#closeNow(graceMs);
    return this.#closed;
  }

  async #closeNow(graceMs: number): Promise<void> {
    const runs = [...this.#runs];
    await Promise.all(runs.map((run) => run.end(graceMs)));
    for (const run of runs) this.release(run);
    await this.#launcher.close();
  }

  async #openIo({ kind, size, hasInput = false }: RunRequest): Promise<RunIo> {
    if (kind === "tty") return new TtyIo(checkSize(size ?? {}));
    if (this.#helper === undefined) return new PortableIo(kind, hasInput);
    if (kind === "stdio") return new StdioIo(await this.#fifos.take(3));
    const [output = "", stdin] = await this.#fifos.take(hasInput ? 2 : 1);
    return new TextIo(output, stdin);
  }
}
