// Runs commands with nothing but `child_process`: for Windows, and where no helper is wanted (T2).
import { execFile, spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import type { Readable } from "node:stream";
import { TerminalError } from "../terminal-error.ts";
import { resolveCommand } from "./command-line.ts";
import { toFailure } from "./helper/wire.ts";
import {
  MARKER_VARIABLE,
  type ChildPipes,
  type LaunchIo,
  type LaunchRequest,
  type LaunchWatcher,
  type Launched,
  type Launcher,
} from "./launch.ts";
import { effectiveLimits } from "./limits.ts";
import type { IsolationReport, LimitBackends, LimitsInForce, TreeProcess } from "./port.ts";
import { platform } from "./platform.ts";
import type { ReadBudget } from "./read-budget.ts";
import type { RunInput, RunIo, StreamSinks } from "./run-io.ts";
import { checkDirectory, startChild } from "./start-failure.ts";
import { ProcessGroupTree } from "./tree/process-group.ts";
import { readCommandLine, readStartTime } from "./tree/process-table.ts";
import { endTree, signalPid, type Tree } from "./tree/tree.ts";

const noHelper = "Processes cannot be isolated without the spawn helper";

interface PortableChild {
  readonly process: ChildProcess & { pid: number };
  readonly tree: Tree;
}

const noBackends: LimitBackends = {
  memoryBytes: "none",
  processes: "none",
  cpuSeconds: "none",
  cpuCores: "none",
  diskWriteBytes: "none",
};

/** Forks from the host itself; each spawn blocks it for as long as a fork takes. */
export class PortableLauncher implements Launcher {
  readonly #children = new Map<number, PortableChild>();
  #nextNumber = 1;

  launch(request: LaunchRequest, watcher: LaunchWatcher): number {
    const id = this.#nextNumber++;
    // The watcher must not be called before the caller knows the number.
    queueMicrotask(() => {
      this.#spawn(id, request, watcher)
        .then(([launched, pipes]) => watcher.launched(launched, pipes))
        .catch((error: unknown) => watcher.failed(toFailure(error)));
    });
    return id;
  }

  async makeFifos(): Promise<string[]> {
    throw new TerminalError("not_supported", "There are no FIFOs without the spawn helper");
  }

  async signal(id: number, signal: NodeJS.Signals): Promise<void> {
    const child = this.#children.get(id);
    if (child !== undefined) signalPid(platform.isPosix ? -child.process.pid : child.process.pid, signal);
  }

  async end(id: number, graceMs: number): Promise<TreeProcess[]> {
    const child = this.#children.get(id);
    if (child === undefined) return [];
    if (!platform.isPosix) {
      await new Promise<void>((resolve) =>
        execFile("taskkill", ["/pid", String(child.process.pid), "/T", "/F"], () => resolve()),
      );
      return [];
    }
    return describe(await endTree(child.tree, graceMs, ["SIGTERM"]));
  }

  async members(id: number): Promise<TreeProcess[]> {
    return platform.isPosix ? describe((await this.#children.get(id)?.tree.members()) ?? []) : [];
  }

  /** Without the helper there are no limits that could change. */
  limit(): void {}

  forget(id: number): void {
    this.#children.delete(id);
  }

  async isolation(): Promise<IsolationReport> {
    return { backend: "none", gaps: [], obstacles: [{ backend: "none", reason: noHelper }] };
  }

  async openSandbox(): Promise<never> {
    throw new TerminalError("not_supported", noHelper, { field: "sandbox" });
  }

  closeSandbox(): void {}

  async close(): Promise<void> {
    await Promise.all([...this.#children.keys()].map((id) => this.end(id, 0)));
    this.#children.clear();
  }

  async #spawn(id: number, request: LaunchRequest, watcher: LaunchWatcher): Promise<[Launched, ChildPipes]> {
    const { cwd, env, io, marker, limits, scopes, tree: wanted } = request;
    if (io.kind === "tty") {
      throw new TerminalError(
        "not_supported",
        "Pseudo-terminals are not supported yet without the spawn helper; run the command as text",
      );
    }
    if (request.sandbox !== undefined) {
      throw new TerminalError("not_supported", noHelper, { field: "sandbox" });
    }
    if (wanted === "cgroup" || wanted === "pid-namespace") {
      throw new TerminalError("not_supported", `Without the spawn helper there is no ${wanted}`, {
        field: "tree",
      });
    }
    checkDirectory(cwd);
    const command = resolveCommand(request.command, request.args, cwd, env["PATH"]);
    const options: SpawnOptions = {
      cwd,
      env: { ...env, [MARKER_VARIABLE]: marker },
      stdio: [io.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      detached: platform.isPosix,
      windowsHide: true,
    };
    const child = await startChild(command.file, () => spawn(command.file, command.args, options));
    const startTime = readStartTime(child.pid);
    const tree = new ProcessGroupTree({ pid: child.pid, startTime, marker });
    this.#children.set(id, { process: child, tree });
    child.once("exit", (exitCode, signal) => watcher.exited({ exitCode, signal }));
    const unmet: LimitsInForce = Object.fromEntries(
      [...effectiveLimits(limits, scopes)].map(([name, { value, level }]) => [
        name,
        { value, level, by: "none" as const },
      ]),
    );
    const launched: Launched = {
      pid: child.pid,
      startTime,
      tree: "process-group",
      limits: unmet,
      limitBackends: noBackends,
    };
    return [launched, child];
  }
}

function describe(pids: readonly number[]): TreeProcess[] {
  return pids.map((pid) => ({ pid, command: readCommandLine(pid) }));
}

/** The pipes of a child that this process started; merged stdout and stderr come in the order of the reads. */
export class PortableIo implements RunIo {
  readonly files: LaunchIo;
  readonly #merged: boolean;
  #pipes: ChildPipes | undefined;
  #open: Readable[] = [];

  constructor(hasInput: boolean, separateError: boolean) {
    this.files = { kind: "pipes", output: "", stdin: hasInput ? "" : undefined };
    this.#merged = !separateError;
  }

  get input(): RunInput | undefined {
    const stdin = this.#pipes?.stdin;
    if (stdin === null || stdin === undefined) return undefined;
    return {
      write: (bytes) => stdin.write(bytes),
      onDrain: (listener) => stdin.on("drain", listener),
      end: () => stdin.end(),
    };
  }

  start(sinks: StreamSinks, _budget: ReadBudget, pipes: ChildPipes | undefined): void {
    this.#pipes = pipes;
    const streams = [
      [pipes?.stdout, "output"] as const,
      [pipes?.stderr, this.#merged ? "output" : "error"] as const,
    ];
    for (const [stream, name] of streams) {
      if (stream === null || stream === undefined) continue;
      this.#open.push(stream);
      const sink = sinks(name);
      stream.on("data", (chunk: Buffer) => sink.bytes(chunk, chunk.length));
      stream.once("close", () => {
        this.#open = this.#open.filter((open) => open !== stream);
        sink.end();
      });
    }
    // EPIPE: the child reads no more; the caller learns of it from the exit.
    pipes?.stdin?.on("error", () => {});
  }

  /** Node reads pipes automatically; what is left arrives as events before they close. */
  drain(): void {}

  get ended(): boolean {
    return this.#open.length === 0;
  }

  hold(isHeld: boolean): void {
    for (const stream of this.#open) {
      if (isHeld) stream.pause();
      else stream.resume();
    }
  }

  resize(): never {
    throw new TerminalError("not_supported", "Only a tty run has a screen to resize");
  }

  close(): void {
    for (const stream of this.#open) stream.destroy();
    this.#pipes?.stdin?.destroy();
  }
}
