// The holder of a session's namespaces: one bubblewrap process that all commands of the session join.
import { spawn, type ChildProcess, type ChildProcessWithoutNullStreams } from "node:child_process";
import { readlinkSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { findChild, readProcessTable } from "../process/tree/process-table.ts";
import { signalPid } from "../process/tree/tree.ts";
import { bubblewrapArgs, type BubblewrapMode } from "./bubblewrap.ts";
import { type Joiner, joinHolder } from "./join.ts";
import type { EnterRequest, Entry, OpenSandbox } from "./open-sandbox.ts";
import type { SandboxReport, SandboxSpec } from "./sandbox.ts";

/** How a holder is made. */
export interface HolderParts {
  readonly bubblewrap: string;
  readonly joiner: Joiner;
  readonly mode: BubblewrapMode;
  readonly report: SandboxReport;
}

/** A holder is made in about 10 ms; a machine that hangs must not hold a session up for ever. */
const startBoundMs = 10_000;

/**
 * Without the `enter` program a shell holds the namespaces. It takes no notice of what people send to all their
 * processes, and it is not called `sleep`, which agents end by name.
 */
const holdScript = "trap '' TERM HUP INT QUIT; printf ready; exec >&-; read -r line";

/** The namespaces of one sandbox. When its input ends, with the helper at the latest, everything in it ends. */
export class Holder implements OpenSandbox {
  readonly report: SandboxReport;
  readonly #child: ChildProcess;
  readonly #parts: HolderParts;
  /** The first process inside, by its outer PID. */
  readonly #target: number;
  readonly #namespaces: readonly string[];
  /** The sandbox's own processes: no command of the session. */
  readonly #own: ReadonlySet<number>;

  private constructor(child: ChildProcess, target: number, shells: readonly number[], parts: HolderParts) {
    this.#child = child;
    this.#target = target;
    this.#own = new Set([child.pid ?? 0, target, ...shells]);
    this.#parts = parts;
    this.#namespaces = readNamespaces(target);
    this.report = parts.report;
  }

  /** Starts one; rejects with the last line of bubblewrap when it cannot. */
  static async open(spec: SandboxSpec, parts: HolderParts): Promise<Holder> {
    const { bubblewrap, joiner, mode } = parts;
    const program = joiner.kind === "enter" ? joiner.file : undefined;
    const command = program === undefined ? ["/bin/sh", "-c", holdScript] : [program, "hold"];
    const args = [
      ...bubblewrapArgs(spec, { ...mode, program }),
      // The kernel shields the first process of a PID namespace from the others in it.
      ...(program !== undefined && mode.hasProcesses ? ["--as-pid-1"] : []),
      "--",
      ...command,
    ];
    const child = spawn(bubblewrap, args, {
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    try {
      const target = await within(startBoundMs, untilReady(child));
      // Where bubblewrap itself is the first process, the shell is its child.
      const rows = program === undefined ? await readProcessTable() : [];
      const shells = rows.filter(({ parentPid }) => parentPid === target).map(({ pid }) => pid);
      return new Holder(child, target, shells, parts);
    } catch (error) {
      // With its group: the process inside would wait for ever for one that was killed while it made the namespaces.
      if (child.pid !== undefined) signalPid(-child.pid, "SIGKILL");
      child.stdin.destroy();
      throw error;
    } finally {
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  enter(request: EnterRequest): Entry {
    const { joiner, mode } = this.#parts;
    return joinHolder(joiner, this.#target, mode, request);
  }

  async isEmpty(): Promise<boolean> {
    if (!this.isAlive) return true;
    const rows = await readProcessTable();
    return !rows.some(
      ({ pid }) =>
        !this.#own.has(pid) && readNamespaces(pid).some((namespace) => this.#namespaces.includes(namespace)),
    );
  }

  close(): void {
    (this.#child.stdin as Writable).destroy();
  }
}

/** The PID and mount namespaces that are not this process's own. */
function readNamespaces(pid: number): string[] {
  return ["pid", "mnt"].flatMap((kind) => {
    try {
      const namespace = readlinkSync(`/proc/${pid}/ns/${kind}`);
      return namespace === readlinkSync(`/proc/self/ns/${kind}`) ? [] : [namespace];
    } catch {
      // It is gone, or another user's.
      return [];
    }
  });
}

/**
 * Resolves with the PID of the first process once its mounts are made. It is looked up instead of read from
 * `--info-fd`: bubblewrap dies of a pipe that nobody reads, and the process inside would wait for it for ever (T702).
 */
async function untilReady(child: ChildProcessWithoutNullStreams): Promise<number> {
  const { stdin, stdout: output, stderr: error, pid = 0 } = child;
  // A pipe to a process that ended early; its exit says why.
  stdin.on("error", () => {});
  let said = "";
  error.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-2000)));
  const ended = new Promise<never>((_resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(said.trim() || `bubblewrap ended with ${code}`)));
  });
  const ready = async (): Promise<number> => {
    await firstData(output);
    const target = await findChild(pid);
    if (target === undefined) throw new Error("bubblewrap has no child");
    return target;
  };
  // After the start nobody waits for its end any more.
  ended.catch(() => {});
  return Promise.race([ready(), ended]);
}

function firstData(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once("data", () => resolve()));
}

async function within<Value>(boundMs: number, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no sandbox within ${boundMs / 1000} s`)), boundMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
