// Machine under examination, with time limits on every trial: this process, the home, a process port, a small program.
import process from "node:process";
import type { Config } from "@holdfast/protocol";
import type { ProcessPort, RunExit, RunRequest, TreeMechanism } from "@holdfast/terminal/port";
import { messageOf } from "../command-error.ts";
import { checkOwnAgents } from "../serve/agents.ts";
import { createProcessPort } from "../serve/compose.ts";
import { defaultConfig, loadConfig } from "../serve/config-file.ts";
import { findHome } from "../serve/home.ts";
import { findRunningHost, type HostFile } from "../serve/host-file.ts";

interface Place {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly home?: string | undefined;
  readonly config?: string | undefined;
}

/** How long a host that is starting or stopping is waited for. */
const hostTimeoutMs = 3000;

/** The machine under examination. Its creator closes it. */
export class Machine {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform = process.platform;
  readonly nodeVersion: string = process.versions.node;
  readonly home: string;
  /** The configuration in force; the defaults where the file cannot be used. */
  readonly config: Config;
  /** Why the configuration's file cannot be used. */
  readonly configFault: string | undefined;
  /** Starts processes as the host does, in the login shell's environment. */
  readonly processPort: ProcessPort = createProcessPort();
  #running: Promise<HostFile | undefined> | undefined;

  constructor({ environment, home, config }: Place) {
    this.environment = environment;
    this.home = findHome(home, environment);
    const read = readSettings(this.home, config);
    this.config = read.config;
    this.configFault = read.fault;
  }

  /** The host of the home; rejects when one holds the home but does not say where it listens. */
  runningHost(): Promise<HostFile | undefined> {
    this.#running ??= within(hostTimeoutMs, findRunningHost(this.home), () => {
      throw new Error("a host holds the home but does not say where it listens");
    });
    return this.#running;
  }

  /** Ends whatever the examinations started. */
  async close(): Promise<void> {
    await this.processPort.close(0);
  }
}

function readSettings(
  home: string,
  named: string | undefined,
): { config: Config; fault: string | undefined } {
  try {
    const config = loadConfig(home, named);
    checkOwnAgents(config);
    return { config, fault: undefined };
  } catch (error) {
    return { config: defaultConfig(), fault: messageOf(error) };
  }
}

/** What to run; it gets the environment that the host gives to commands. */
type ProbeRequest = Pick<RunRequest, "command" | "args" | "kind" | "tree">;

interface ProbeResult {
  readonly output: string;
  readonly exitCode: number | null;
  /** What held its tree together. */
  readonly tree: TreeMechanism;
}

const limits = { wallClockMs: 5000, outputBytes: 64 * 1024 } as const;

/** Runs it to its end; rejects with the process port's words when it cannot be started. */
export async function probe(processPort: ProcessPort, request: ProbeRequest): Promise<ProbeResult> {
  const chunks: Buffer[] = [];
  let ended = (_exit: RunExit): void => {};
  const exited = new Promise<RunExit>((resolve) => {
    ended = resolve;
  });
  const env = await processPort.buildEnvironment({
    audience: "agent-command",
    hasScreen: request.kind === "tty",
  });
  const run = await processPort.start(
    { ...request, cwd: "/", env, limits },
    { bytes: (_stream, bytes) => void chunks.push(Buffer.from(bytes)), exit: ended, end: () => {} },
  );
  const { exitCode } = await exited;
  await run.end(0);
  run.release();
  return { output: Buffer.concat(chunks).toString("utf8").trim(), exitCode, tree: run.tree };
}

/** Result of the promise, or of `late` when the time is up first. */
export async function within<Value, Late>(
  timeoutMs: number,
  promise: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const bell = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), bell]);
    return first === "late" ? late() : first.value;
  } finally {
    clearTimeout(timer);
    // Nobody waits for it any more, so its outcome does not matter.
    promise.catch(() => undefined);
  }
}
