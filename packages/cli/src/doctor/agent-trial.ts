// Trial of an agent: started as the host would, handshake, a session in an empty folder, and its end with all it started (C75).
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import {
  type AcpAuthStatus,
  type AcpInitializeResult,
  type AcpSessionResult,
  type AcpUpdate,
  AgentConnection,
  type AgentEntry,
  type AgentLaunch,
  type AgentServices,
  rejectingServices,
  buildLaunch,
  DEFAULT_TIMEOUTS,
  type Installation,
  Installations,
  openSignedIn,
  Redactor,
} from "@holdfast/core";
import {
  forwardTo,
  type ProcessPort,
  type RunExit,
  type RunSink,
  type RunStream,
} from "@holdfast/terminal/port";
import { VERSION } from "../version.ts";
import { explainTrial, signInNeeded, type TrialProblem } from "./agent-problem.ts";
import { within } from "./machine.ts";

interface TrialRequest {
  readonly entry: AgentEntry;
  readonly processPort: ProcessPort;
  /** How long each answer may take. */
  readonly timeoutMs: number;
}

/** How long each step took, as far as it came. */
export interface TrialTimings {
  startMs?: number;
  initializeMs?: number;
  newSessionMs?: number;
}

export interface AgentTrial {
  readonly agent: { readonly id: string; readonly label: string };
  /** The whole command line; empty when there was nothing to start. */
  readonly command: readonly string[];
  readonly version: string | null;
  readonly handshake: AcpInitializeResult | undefined;
  /** Capabilities of a new session. */
  readonly session: OfferedSession | undefined;
  readonly timings: Readonly<TrialTimings>;
  readonly stderr: readonly string[];
  readonly problem: TrialProblem | undefined;
}

interface OfferedSession extends Omit<AcpSessionResult, "sessionId"> {
  readonly commands: readonly string[];
}

/** Agents report their commands after the session is open, if they have any. */
const commandsMs = 1500;
const shownLines = 20;
/** There is no history to save, so the end need not be waited for as long as otherwise. */
const trialTimeouts = { ...DEFAULT_TIMEOUTS, endOfInputMs: 500, killGraceMs: 1000 };

/** Tries an agent. Nothing of it runs afterwards, even if the trial fails. */
export async function tryAgent(request: TrialRequest): Promise<AgentTrial> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "holdfast-doctor-")));
  const trial = new Trial(request, folder);
  try {
    return await trial.run();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Trial {
  readonly #request: TrialRequest;
  readonly #folder: string;
  readonly #tap: RunTap;
  readonly #redactor = new Redactor();
  readonly #offered = new OfferedCommands();
  readonly #timings: TrialTimings = {};
  #command: readonly string[] = [];
  #found: Installation = { installed: false, searched: "" };
  #handshake: AcpInitializeResult | undefined;
  #session: OfferedSession | undefined;

  constructor(request: TrialRequest, folder: string) {
    this.#request = request;
    this.#folder = folder;
    this.#tap = new RunTap(request.processPort);
  }

  async run(): Promise<AgentTrial> {
    const { entry } = this.#request;
    let agent: AgentConnection | undefined;
    let problem: TrialProblem | undefined;
    try {
      const launch = await this.#prepare();
      const timeouts = { ...trialTimeouts, handshakeMs: this.#request.timeoutMs };
      const services = unattendedServices(this.#offered);
      const start = (): Promise<AgentConnection> =>
        AgentConnection.start(this.#tap.port, launch, services, { timeouts, clientVersion: VERSION });
      agent = await this.#timed("startMs", start);
      await this.#converse(agent, launch.env);
      problem = this.#findMissingSignIn();
    } catch (error) {
      problem = explainTrial({
        entry,
        error,
        timeoutMs: this.#request.timeoutMs,
        isInstalled: this.#found.installed,
        isSignedIn: this.#found.installed && this.#found.authReady,
        isStarted: agent !== undefined,
        hasShakenHands: this.#handshake !== undefined,
        authMethods: this.#handshake?.authMethods ?? [],
        exit: this.#tap.exit,
        output: this.#lines("output"),
        stderr: this.#lines("error"),
      });
    }
    await agent?.close();
    return {
      agent: { id: entry.id, label: entry.label },
      command: this.#command,
      version: this.#found.installed ? this.#found.version : null,
      handshake: this.#handshake,
      session: this.#session,
      timings: this.#timings,
      stderr: this.#lines("error"),
      problem,
    };
  }

  async #prepare(): Promise<AgentLaunch["request"]> {
    const { entry, processPort } = this.#request;
    // The version is asked of the plain process port: what it says is no word of the agent's.
    const installations = new Installations(processPort, VERSION);
    this.#found = await installations.find(entry);
    const launch = await buildLaunch(this.#tap.port, installations, {
      entry,
      cwd: this.#folder,
      model: undefined,
      offersModel: undefined,
      variables: entry.builtIn ? { HOLDFAST_SHELL_STATE: path.join(this.#folder, "state") } : {},
      forwardedProvider: undefined,
      hostEnvironment: process.env,
    });
    const { command, args = [], env } = launch.request;
    this.#command = [command, ...args];
    for (const name of entry.auth?.env ?? []) {
      const value = env[name] ?? "";
      if (value !== "") this.#redactor.add(value);
    }
    return launch.request;
  }

  /** Some agents open a session for anyone, and refuse only the first prompt. */
  #findMissingSignIn(): TrialProblem | undefined {
    const { entry } = this.#request;
    const reported = this.#offered.authStatus;
    const isSignedIn = this.#found.installed && this.#found.authReady;
    const isMissing = reported === undefined ? !isSignedIn : reported.kind === "none";
    if (!isMissing) return undefined;
    const said = reported?.label ?? "it opens a session, but no sign-in was found";
    return signInNeeded(entry, said, this.#handshake?.authMethods ?? []);
  }

  async #converse(agent: AgentConnection, environment: AgentLaunch["request"]["env"]): Promise<void> {
    await this.#timed("initializeMs", () => agent.initialize());
    this.#handshake = this.#redactor.redactDeep(agent.info);
    const { entry } = this.#request;
    const { sessionId: _id, ...session } = await this.#timed("newSessionMs", () =>
      openSignedIn(agent, entry, environment, () => agent.newSession(this.#folder, [])),
    );
    await within(commandsMs, this.#offered.arrived, () => undefined);
    this.#session = { ...session, commands: this.#offered.names };
  }

  async #timed<Value>(name: keyof TrialTimings, step: () => Promise<Value>): Promise<Value> {
    const began = performance.now();
    try {
      return await step();
    } finally {
      this.#timings[name] = Math.round(performance.now() - began);
    }
  }

  #lines(stream: "output" | "error"): string[] {
    return this.#tap
      .lines(stream)
      .slice(0, shownLines)
      .map((line) => this.#redactor.redact(line));
  }
}

/** The commands that an agent reports, once it does. */
class OfferedCommands {
  readonly arrived: Promise<void>;
  names: readonly string[] = [];
  /** The agent's sign-in state, if it reports one. */
  authStatus: AcpAuthStatus | undefined;
  #arrive: () => void = () => {};

  constructor() {
    this.arrived = new Promise((resolve) => {
      this.#arrive = resolve;
    });
  }

  /** Takes what an update says of commands; any other says nothing of them. */
  hear(update: AcpUpdate): void {
    if (update.sessionUpdate !== "available_commands_update") return;
    const commands = update["availableCommands"];
    if (!Array.isArray(commands)) return;
    this.names = commands.flatMap((each: { name?: unknown } | null) =>
      typeof each?.name === "string" ? [each.name] : [],
    );
    this.#arrive();
  }
}

/** Nobody has asked the agent to do anything, so whatever it wants to do is refused. */
function unattendedServices(commands: OfferedCommands): AgentServices {
  return {
    ...rejectingServices("This is a trial: nothing is read, written or run"),
    update: (update) => commands.hear(update),
    authStatus: (status) => {
      commands.authStatus = status;
    },
  };
}

/** What is kept of each stream. */
const maxBytes = 64 * 1024;

/** Records what the runs of a process port write. */
class RunTap {
  readonly port: ProcessPort;
  readonly #recorded: Record<RunStream, Buffer[]> = { output: [], error: [] };
  #exit: RunExit | undefined;

  constructor(processPort: ProcessPort) {
    this.port = forwardTo(processPort, {
      start: (request, sink) => processPort.start(request, this.#record(sink)),
    });
  }

  /** How the last run ended; undefined while it runs. */
  get exit(): RunExit | undefined {
    return this.#exit;
  }

  /** The first lines of a stream. */
  lines(stream: RunStream): string[] {
    const text = Buffer.concat(this.#recorded[stream]).toString("utf8");
    return text
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "");
  }

  #record(sink: RunSink): RunSink {
    let recordedBytes = 0;
    return {
      bytes: (stream, bytes, offset) => {
        if (recordedBytes < maxBytes) {
          this.#recorded[stream].push(Buffer.from(bytes.subarray(0, maxBytes - recordedBytes)));
        }
        recordedBytes += bytes.length;
        sink.bytes(stream, bytes, offset);
      },
      exit: (exit) => {
        this.#exit = exit;
        sink.exit(exit);
      },
      end: () => sink.end(),
    };
  }
}
