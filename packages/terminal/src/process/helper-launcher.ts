// The host's end of the spawn helper: starts it, exchanges messages with it, and replaces it when it dies.
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { IsolationReport, SandboxReport, SandboxSpec } from "../sandbox/sandbox.ts";
import { TerminalError } from "../terminal-error.ts";
import { programText } from "./helper/program-text.ts";
import {
  type HelperCommand,
  type HelperEvent,
  NO_CGROUPS_VARIABLE,
  fromFailure,
  readLines,
} from "./helper/wire.ts";
import {
  PRIVATE_FOLDER_VARIABLE,
  type LaunchRequest,
  type LaunchWatcher,
  type Launched,
  type Launcher,
} from "./launch.ts";
import type { LimitScope, TreeProcess } from "./port.ts";
import type { TreeLeader } from "./tree/tree.ts";

/** A helper that dies this often within a second of its start is not restarted automatically. */
const maxYoungDeaths = 3;
const youngMs = 1000;

interface LiveLaunch {
  readonly watcher: LaunchWatcher;
  readonly marker: string;
  launched: Launched | undefined;
  exited: boolean;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** How the helper works. */
interface HelperOptions {
  /** Default true. */
  readonly useCgroups?: boolean | undefined;
  /** A folder for FIFOs and programs that no sandbox sees. */
  readonly privateFolder?: string | undefined;
}

/** Forks through a helper process, so that a spawn costs the host the same at any size (T1). */
export class HelperLauncher implements Launcher {
  readonly #launches = new Map<number, LiveLaunch>();
  readonly #pending = new Map<number, Pending>();
  readonly #onLost: () => void;
  readonly #options: HelperOptions;
  /** Open sandboxes: a new helper opens them again. */
  readonly #sandboxes = new Map<string, SandboxSpec>();
  /** The first processes of runs whose helper died; the next helper ends their trees. */
  readonly #lostLeaders: TreeLeader[] = [];
  #helper: ChildProcessWithoutNullStreams | undefined;
  #closed: Promise<void> | undefined;
  #nextNumber = 1;
  #youngDeaths = 0;
  #lastWords = "";
  /** Launches that have not exited and questions that are not answered. */
  #owed = 0;

  /** `onLost` is called when a helper has died, before another is started. */
  constructor(onLost: () => void, options: HelperOptions = {}) {
    this.#onLost = onLost;
    this.#options = options;
    this.#tryStart();
  }

  /** The helper's pid, or undefined when none runs. */
  get pid(): number | undefined {
    return this.#helper?.pid;
  }

  launch(request: LaunchRequest, watcher: LaunchWatcher): number {
    const id = this.#nextNumber++;
    this.#send({ do: "launch", id, request });
    this.#launches.set(id, { watcher, marker: request.marker, launched: undefined, exited: false });
    this.#owe(1);
    return id;
  }

  async makeFifos(count: number): Promise<string[]> {
    return (await this.#ask((reply) => ({ do: "fifos", reply, count }))) as string[];
  }

  async signal(id: number, signal: NodeJS.Signals): Promise<void> {
    this.#send({ do: "signal", id, signal });
  }

  async end(id: number, graceMs: number): Promise<TreeProcess[]> {
    return (await this.#ask((reply) => ({ do: "end", reply, id, graceMs }))) as TreeProcess[];
  }

  async members(id: number): Promise<TreeProcess[]> {
    return (await this.#ask((reply) => ({ do: "members", reply, id }))) as TreeProcess[];
  }

  limit(scopes: readonly LimitScope[]): void {
    this.#send({ do: "limit", scopes });
  }

  forget(id: number): void {
    if (this.#launches.get(id)?.exited === false) this.#owe(-1);
    this.#launches.delete(id);
    if (this.#helper !== undefined) this.#send({ do: "forget", id });
  }

  async isolation(): Promise<IsolationReport> {
    return (await this.#ask((reply) => ({ do: "isolation", reply }))) as IsolationReport;
  }

  async openSandbox(sandbox: string, spec: SandboxSpec): Promise<SandboxReport> {
    const report = await this.#openSandboxNow(sandbox, spec);
    this.#sandboxes.set(sandbox, spec);
    return report;
  }

  closeSandbox(sandbox: string): void {
    this.#sandboxes.delete(sandbox);
    if (this.#helper !== undefined && this.#closed === undefined) this.#send({ do: "closeSandbox", sandbox });
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    const helper = this.#helper;
    if (helper === undefined) return;
    const exited = new Promise<void>((resolve) => helper.once("close", () => resolve()));
    this.#owe(1);
    helper.stdin.end();
    await exited;
  }

  #start(): ChildProcessWithoutNullStreams {
    const startedAt = performance.now();
    const { useCgroups, privateFolder } = this.#options;
    const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...env } = process.env;
    const helper = forkHelper({
      ...env,
      ...(useCgroups === false && { [NO_CGROUPS_VARIABLE]: "1" }),
      ...(privateFolder !== undefined && { [PRIVATE_FOLDER_VARIABLE]: privateFolder }),
    });
    if (programText !== undefined) sendProgram(helper, programText);
    this.#helper = helper;
    this.#lastWords = "";
    helper.stdout.setEncoding("utf8").on(
      "data",
      readLines((event: HelperEvent) => this.#hear(event)),
    );
    helper.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#lastWords = (this.#lastWords + text).slice(-2000);
    });
    // Writing to a helper that just died; its close event reports the rest.
    helper.stdin.on("error", () => {});
    helper.on("close", () => this.#lose(helper, performance.now() - startedAt));
    this.#keepAlive(helper);
    this.#restore();
    return helper;
  }

  #tryStart(): void {
    try {
      this.#start();
    } catch {
      // No descriptor or process is left: the next request tries again, and reports the reason.
    }
  }

  /** A helper that comes after another one ends what that one ran, and opens its sandboxes again. */
  #restore(): void {
    for (const leader of this.#lostLeaders.splice(0)) this.#send({ do: "reap", leader });
    for (const [sandbox, spec] of this.#sandboxes) {
      // A run that needs it reports the failure.
      this.#openSandboxNow(sandbox, spec).catch(() => {});
    }
  }

  async #openSandboxNow(sandbox: string, spec: SandboxSpec): Promise<SandboxReport> {
    return (await this.#ask((reply) => ({ do: "openSandbox", reply, sandbox, spec }))) as SandboxReport;
  }

  #send(command: HelperCommand): void {
    if (this.#closed !== undefined) throw new TerminalError("closed", "The terminal engine is closed");
    const helper = this.#helper ?? this.#start();
    helper.stdin.write(`${JSON.stringify(command)}\n`);
  }

  #ask(command: (reply: number) => HelperCommand): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const reply = this.#nextNumber++;
      this.#send(command(reply));
      this.#pending.set(reply, { resolve, reject });
      this.#owe(1);
    });
  }

  #hear(event: HelperEvent): void {
    switch (event.on) {
      case "launched": {
        const launch = this.#launches.get(event.id);
        if (launch === undefined) break;
        launch.launched = event.launched;
        launch.watcher.launched(event.launched);
        break;
      }
      case "failed": {
        const launch = this.#launches.get(event.id);
        if (launch === undefined) break;
        this.#launches.delete(event.id);
        this.#owe(-1);
        launch.watcher.failed(event.failure);
        break;
      }
      case "exited": {
        const launch = this.#launches.get(event.id);
        if (launch === undefined) break;
        launch.exited = true;
        this.#owe(-1);
        launch.watcher.exited(event.exit);
        break;
      }
      case "answer":
        this.#takePending(event.reply)?.resolve(event.value);
        break;
      case "refused":
        this.#takePending(event.reply)?.reject(fromFailure(event.failure));
        break;
    }
  }

  #takePending(reply: number): Pending | undefined {
    const pending = this.#pending.get(reply);
    if (this.#pending.delete(reply)) this.#owe(-1);
    return pending;
  }

  /** The helper is dead: everything it knew is lost, and what it ran shall not run on unseen (T2). */
  #lose(helper: ChildProcessWithoutNullStreams, ageMs: number): void {
    if (this.#helper !== helper) return;
    this.#helper = undefined;
    const launches = [...this.#launches.values()];
    this.#launches.clear();
    const error = new TerminalError(
      "lost",
      `The spawn helper died${this.#lastWords === "" ? "" : `: ${this.#lastWords.trim()}`}`,
    );
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    this.#owed = 0;
    this.#onLost();
    if (this.#closed === undefined) {
      this.#youngDeaths = ageMs < youngMs ? this.#youngDeaths + 1 : 0;
      for (const { launched, marker } of launches) {
        if (launched === undefined) continue;
        this.#lostLeaders.push({ pid: launched.pid, startTime: launched.startTime, marker });
      }
      if (this.#youngDeaths < maxYoungDeaths || this.#lostLeaders.length > 0) this.#tryStart();
    }
    for (const { watcher, launched, exited } of launches) {
      if (launched === undefined) watcher.failed({ code: error.code, message: error.message });
      else if (!exited) watcher.lost();
    }
  }

  #owe(change: 1 | -1): void {
    const before = this.#owed;
    this.#owed += change;
    if ((before === 0 || this.#owed === 0) && this.#helper !== undefined) this.#keepAlive(this.#helper);
  }

  /** An idle helper must not keep a program from ending; one that owes an answer must. */
  #keepAlive(helper: ChildProcessWithoutNullStreams): void {
    const streams = [helper.stdin, helper.stdout, helper.stderr] as { ref?(): void; unref?(): void }[];
    for (const handle of [helper, ...streams]) {
      if (this.#owed > 0) handle.ref?.();
      else handle.unref?.();
    }
  }
}

/** Throws where the machine cannot start it: without descriptors Node makes no pipes, and reports the error later. */
function forkHelper(env: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const words = ["--max-old-space-size=64", "--max-semi-space-size=1", ...helperProgram()];
  let helper: ChildProcess;
  try {
    helper = spawn(process.execPath, words, {
      detached: true,
      stdio: programText === undefined ? "pipe" : ["pipe", "pipe", "pipe", "pipe"],
      // An editor's own Node runs a script only with this variable.
      env: { ...env, ELECTRON_RUN_AS_NODE: "1" },
    });
  } catch (cause) {
    const message = `The spawn helper could not be started: ${String(cause)}`;
    throw new TerminalError("spawn_failed", message, { cause });
  }
  helper.on("error", () => {});
  if (helper.pid !== undefined) return helper as ChildProcessWithoutNullStreams;
  throw new TerminalError(
    "spawn_failed",
    `The spawn helper could not be started: there are too many processes or open files, or ${process.execPath} is missing`,
  );
}

/** Reads the program from descriptor 3 and runs it, so that it needs no file and no long command line. */
const runFromDescriptor =
  'const f=require("node:fs"),t=f.readFileSync(3,"base64");f.closeSync(3);import("data:text/javascript;base64,"+t)';

/** Node's arguments for the helper. It runs compiled, also when the host runs from source: Node 20 executes no TypeScript. */
function helperProgram(): string[] {
  if (programText !== undefined) return ["-e", `/* Holdfast spawn helper */ ${runFromDescriptor}`];
  const compiled = fileURLToPath(
    new URL(
      import.meta.url.endsWith(".ts") ? "../../dist/process/helper/main.js" : "./helper/main.js",
      import.meta.url,
    ),
  );
  if (existsSync(compiled)) return [compiled];
  throw new TerminalError(
    "spawn_failed",
    `The spawn helper is not built: ${compiled} is missing; run npm run build`,
  );
}

function sendProgram(helper: ChildProcess, text: string): void {
  const pipe = helper.stdio[3] as Writable;
  // A helper that died before it had read its program: its close event reports the rest.
  pipe.on("error", () => {});
  pipe.end(text);
}
