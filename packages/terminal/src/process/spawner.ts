// Starts runs and owns what they share: the spawn helper, the FIFOs, the read budget.
import { randomUUID } from "node:crypto";
import { checkSize } from "../screen-size.ts";
import { TerminalError } from "../terminal-error.ts";
import { buildEnvironment } from "./environment.ts";
import { FifoPool } from "./fifo-pool.ts";
import { HelperLauncher } from "./helper-launcher.ts";
import { RELEASE_GRACE_MS } from "./kill-grace.ts";
import { checkScopes } from "./limits.ts";
import type { LaunchRequest, Launcher } from "./launch.ts";
import { LoginEnvironment } from "./login-shell.ts";
import { platform } from "./platform.ts";
import type {
  EnvironmentRequest,
  Held,
  IsolationReport,
  LimitScope,
  ProcessPort,
  RunRequest,
  RunSink,
  Sandbox,
  SandboxSpec,
} from "./port.ts";
import { PortableIo, PortableLauncher } from "./portable-launcher.ts";
import { ReadBudget } from "./read-budget.ts";
import { PipesIo, type RunIo, TtyIo } from "./run-io.ts";
import { type CheckedRequest, checkRunRequest } from "./run-request.ts";
import { ChildRun } from "./run.ts";
import { StartGate } from "./start-gate.ts";

/** How a spawner works. */
export interface SpawnerOptions {
  /** `login` (default): what the login shell sets up. Or a map, taken as it is. */
  readonly environment?: "login" | Readonly<Record<string, string | undefined>> | undefined;
  /** `helper` wherever there is one; `child_process` forks from the host itself. */
  readonly forkBy?: "helper" | "child_process" | undefined;
  /** Whether cgroups are used where they are writable. Default true; without them limits are per process. */
  readonly useCgroups?: boolean | undefined;
  /** A folder of the caller's own for FIFOs and programs, which no sandbox sees. Default: one in the temporary folder. */
  readonly privateFolder?: string | undefined;
}

/** The process port inside the host: its processes are children of the host's own helper and end with the host. */
export class Spawner implements ProcessPort {
  /** Its runs end with their host. */
  readonly keysInput = true;
  readonly #budget = new ReadBudget();
  readonly #runs = new Set<ChildRun>();
  readonly #starting = new Set<Promise<ChildRun>>();
  readonly #launcher: Launcher;
  readonly #helper: HelperLauncher | undefined;
  readonly #fifos: FifoPool;
  readonly #gate = new StartGate();
  readonly #login = new LoginEnvironment(this);
  readonly #environment: NonNullable<SpawnerOptions["environment"]>;
  #closed: Promise<void> | undefined;

  constructor({ environment = "login", forkBy, useCgroups, privateFolder }: SpawnerOptions = {}) {
    const useHelper = platform.isPosix && forkBy !== "child_process";
    const options = { useCgroups, privateFolder };
    this.#helper = useHelper ? new HelperLauncher(() => this.#fifos.discard(), options) : undefined;
    this.#launcher = this.#helper ?? new PortableLauncher();
    this.#fifos = new FifoPool(this.#launcher);
    this.#environment = environment;
  }

  /** The spawn helper's pid; undefined without one. */
  get helperPid(): number | undefined {
    return this.#helper?.pid;
  }

  async start(request: RunRequest, sink: RunSink): Promise<ChildRun> {
    const checked = checkRunRequest(request);
    this.#refuseIfClosed();
    const starting = this.#gate.pass(checked.sizeBytes, () => this.#launch(request, checked, sink));
    this.#starting.add(starting);
    try {
      const run = await starting;
      // Closed meanwhile: the run is ended with all others, and its owner never learns of it.
      if (this.#closed !== undefined) run.silence();
      this.#refuseIfClosed();
      return run;
    } finally {
      this.#starting.delete(starting);
    }
  }

  async buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>> {
    const base = this.#environment === "login" ? await this.#login.get() : this.#environment;
    return buildEnvironment({ ...request, base });
  }

  limit(scopes: readonly LimitScope[]): void {
    const checked = checkScopes(scopes);
    if (this.#closed === undefined) this.#launcher.limit(checked);
  }

  isolation(): Promise<IsolationReport> {
    return this.#launcher.isolation();
  }

  async openSandbox(spec: SandboxSpec): Promise<Sandbox> {
    this.#refuseIfClosed();
    const id = randomUUID();
    const report = await this.#launcher.openSandbox(id, spec);
    return { ...report, id, close: () => this.#launcher.closeSandbox(id) };
  }

  async held(): Promise<Held> {
    return { runs: [], sandboxes: [] };
  }

  async attach(id: string): Promise<ChildRun> {
    throw new TerminalError("run_not_found", `No run ${id} is held: processes end with their host here`);
  }

  detach(): Promise<void> {
    return this.close();
  }

  /** Ends every tree, then the helper. Idempotent. */
  close(graceMs = RELEASE_GRACE_MS): Promise<void> {
    this.#closed ??= this.#closeNow(graceMs);
    return this.#closed;
  }

  async #launch(request: RunRequest, { limits, scopes }: CheckedRequest, sink: RunSink): Promise<ChildRun> {
    this.#refuseIfClosed();
    const { wallClockMs: _wall, outputBytes: _bytes, ...kernelLimits } = limits;
    const io = await this.#openIo(request);
    const launch: LaunchRequest = {
      command: request.command,
      args: request.args ?? [],
      cwd: request.cwd,
      env: request.env,
      io: io.files,
      tree: request.tree ?? "auto",
      limits: kernelLimits,
      scopes,
      marker: request.marker ?? randomUUID(),
      ...(request.sandbox !== undefined && { sandbox: request.sandbox }),
    };
    const run = await ChildRun.start(
      {
        kind: request.kind,
        io,
        launcher: this.#launcher,
        budget: this.#budget,
        limits,
        sink,
        onFreed: (freed) => void this.#runs.delete(freed),
      },
      launch,
    );
    this.#runs.add(run);
    return run;
  }

  #refuseIfClosed(): void {
    if (this.#closed !== undefined) throw closed();
  }

  async #closeNow(graceMs: number): Promise<void> {
    this.#gate.close(closed());
    await Promise.allSettled(this.#starting);
    const runs = [...this.#runs];
    await Promise.all(runs.map((run) => run.end(graceMs)));
    // A process that left its tree may still hold a pipe open; closing reports the end of its run.
    for (const run of runs) run.close();
    this.#runs.clear();
    await this.#launcher.close();
  }

  async #openIo({ kind, size, hasInput = false, separateError = false }: RunRequest): Promise<RunIo> {
    if (kind === "tty") return new TtyIo(checkSize(size ?? {}));
    const isProtocol = kind === "stdio";
    const wantsInput = isProtocol || hasInput;
    const wantsError = isProtocol || separateError;
    if (this.#helper === undefined) return new PortableIo(wantsInput, wantsError);
    const paths = await this.#fifos.take(1 + Number(wantsInput) + Number(wantsError));
    const output = paths.shift() ?? "";
    return new PipesIo({
      output,
      stdin: wantsInput ? paths.shift() : undefined,
      error: wantsError ? paths.shift() : undefined,
    });
  }
}

function closed(): TerminalError {
  return new TerminalError("closed", "The terminal engine is closed");
}
