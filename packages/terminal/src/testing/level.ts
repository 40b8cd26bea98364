// The isolation level of this test process: the same tests run without a sandbox and, by `levels.test.ts`, at every level.
import process from "node:process";
import { AcpTerminals, type AcpTerminalsOptions } from "../acp/index.ts";
import { TerminalEngine, type TerminalEngineOptions, type TerminalRequest } from "../engine.ts";
import type { ChildRun } from "../process/index.ts";
import type { Run, RunRequest, RunSink, Sandbox, SandboxSpec } from "../process/port.ts";
import { Spawner, type SpawnerOptions } from "../process/spawner.ts";
import { findChild } from "../process/tree/process-table.ts";
import type { Terminal } from "../terminal.ts";

/** `guard` or `workspace`; the backend is the one that `HOLDFAST_SANDBOX_BACKENDS` leaves. */
const level = process.env["HOLDFAST_TEST_LEVEL"];

/** The sandbox that every run of this process is in; undefined when there is none. */
export const testedSandbox: SandboxSpec | undefined =
  level === "guard" || level === "workspace"
    ? { level, hidden: [], visible: [], readOnly: [], writable: ["/tmp", "/var/tmp"] }
    : undefined;

const backend = process.env["HOLDFAST_SANDBOX_BACKENDS"] ?? "bubblewrap";
const hasBubblewrap = testedSandbox !== undefined && backend.startsWith("bubblewrap");

/** Whether commands of this process see other PIDs than the host does. */
export const hasInnerPids = hasBubblewrap && !backend.endsWith("+shared");

/** The command's process: of a run with inner PIDs, `pid` is the process that waits for it outside. */
export async function commandPid({ pid }: Run): Promise<number> {
  return hasInnerPids ? ((await findChild(pid)) ?? pid) : pid;
}

/** A spawner whose runs are at the tested level. */
export function makeSpawner(options: SpawnerOptions = {}): Spawner {
  const isPlain = testedSandbox === undefined || options.forkBy === "child_process";
  return isPlain ? new Spawner(options) : new SandboxedSpawner(options);
}

/** An engine whose terminals are at the tested level. */
export function makeEngine(options: TerminalEngineOptions = {}): TerminalEngine {
  return testedSandbox === undefined ? new TerminalEngine(options) : new SandboxedEngine(options);
}

/** The adapter whose terminals are at the tested level. */
export function makeAcpTerminals(options: AcpTerminalsOptions = {}): AcpTerminals {
  const isPlain = testedSandbox === undefined || options.forkBy === "child_process";
  return new AcpTerminals(isPlain ? options : { isolation: testedSandbox, ...options });
}

class SandboxedSpawner extends Spawner {
  readonly #sandbox = new LazySandbox((spec) => this.openSandbox(spec));

  override async start(request: RunRequest, sink: RunSink): Promise<ChildRun> {
    return super.start({ ...request, sandbox: await this.#sandbox.id() }, sink);
  }
}

class SandboxedEngine extends TerminalEngine {
  readonly #sandbox = new LazySandbox((spec) => this.openSandbox(spec));

  override async open(request: TerminalRequest): Promise<Terminal> {
    return super.open({ ...request, sandbox: await this.#sandbox.id() });
  }
}

/** Opened for the first run, as a session's is. */
class LazySandbox {
  readonly #open: (spec: SandboxSpec) => Promise<Sandbox>;
  #opened: Promise<Sandbox> | undefined;

  constructor(open: (spec: SandboxSpec) => Promise<Sandbox>) {
    this.#open = open;
  }

  async id(): Promise<string> {
    if (testedSandbox === undefined) throw new Error("no level is tested");
    this.#opened ??= this.#open(testedSandbox);
    return (await this.#opened).id;
  }
}
