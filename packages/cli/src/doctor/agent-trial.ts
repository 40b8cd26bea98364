// Starts an agent as the host would, shakes hands, opens a session in an empty folder, and ends it with all it started (C75).
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import {
  type AcpInitializeResult,
  type AcpSessionResult,
  AgentConnection,
  type AgentEntry,
  type AgentLaunch,
  buildLaunch,
  DEFAULT_PATIENCE,
  type Installation,
  Installations,
  Redactor,
} from "@holdfast/core";
import type { Keeper } from "@holdfast/keeper/port";
import { VERSION } from "../version.ts";
import { explainTrial, type TrialProblem } from "./agent-problem.ts";
import { OfferedCommands, unattendedServices } from "./agent-visitor.ts";
import { OverhearingKeeper } from "./overhearing-keeper.ts";
import { within } from "./within.ts";

/** What is asked of the trial. */
export interface TrialRequest {
  readonly entry: AgentEntry;
  readonly keeper: Keeper;
  /** How long each answer may take. */
  readonly timeoutMs: number;
}

/** How long each step took, as far as it came. */
export interface TrialTimings {
  startMs?: number;
  initializeMs?: number;
  newSessionMs?: number;
}

/** What was seen. */
export interface AgentTrial {
  readonly agent: { readonly id: string; readonly label: string };
  /** The whole command line; empty when there was nothing to start. */
  readonly command: readonly string[];
  readonly version: string | null;
  readonly handshake: AcpInitializeResult | undefined;
  /** What a new session offers. */
  readonly session: OfferedSession | undefined;
  readonly timings: Readonly<TrialTimings>;
  readonly stderr: readonly string[];
  readonly problem: TrialProblem | undefined;
}

/** What a session offers. */
export interface OfferedSession extends Omit<AcpSessionResult, "sessionId"> {
  readonly commands: readonly string[];
}

/** Agents tell their commands after the session is open, if they have any. */
const commandsMs = 1500;
const shownLines = 20;
/** There is no history to save, so the end need not be waited for as long as otherwise. */
const trialPatience = { ...DEFAULT_PATIENCE, endOfInputMs: 500, killMs: 1000 };

/** Tries an agent. Whatever becomes of it, nothing of it runs afterwards. */
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
  readonly #keeper: OverhearingKeeper;
  readonly #redactor = new Redactor();
  readonly #offered = new OfferedCommands();
  readonly #timings: TrialTimings = {};
  #command: readonly string[] = [];
  #found: Installation = { installed: false };
  #handshake: AcpInitializeResult | undefined;
  #session: OfferedSession | undefined;

  constructor(request: TrialRequest, folder: string) {
    this.#request = request;
    this.#folder = folder;
    this.#keeper = new OverhearingKeeper(request.keeper);
  }

  async run(): Promise<AgentTrial> {
    const { entry } = this.#request;
    let agent: AgentConnection | undefined;
    let problem: TrialProblem | undefined;
    try {
      const launch = await this.#prepare();
      const patience = { ...trialPatience, handshakeMs: this.#request.timeoutMs };
      const services = unattendedServices(this.#offered);
      const start = (): Promise<AgentConnection> =>
        AgentConnection.start(this.#keeper, launch, services, patience);
      agent = await this.#timed("startMs", start);
      await this.#converse(agent);
    } catch (error) {
      problem = explainTrial({
        entry,
        error,
        timeoutMs: this.#request.timeoutMs,
        isInstalled: this.#found.installed,
        isSignedIn: this.#found.installed && this.#found.authReady,
        isStarted: agent !== undefined,
        hasShakenHands: this.#handshake !== undefined,
        exit: this.#keeper.exit,
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
    const { entry, keeper } = this.#request;
    // The version is asked of the plain keeper: what it says is no word of the agent's.
    const installations = new Installations(keeper, VERSION);
    this.#found = await installations.find(entry);
    const launch = await buildLaunch(this.#keeper, installations, {
      entry,
      cwd: this.#folder,
      model: undefined,
      offersModels: undefined,
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

  async #converse(agent: AgentConnection): Promise<void> {
    await this.#timed("initializeMs", () => agent.initialize());
    this.#handshake = this.#redactor.redactDeep(agent.info);
    const { sessionId: _id, ...session } = await this.#timed("newSessionMs", () =>
      agent.newSession(this.#folder, []),
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
    return this.#keeper
      .lines(stream)
      .slice(0, shownLines)
      .map((line) => this.#redactor.redact(line));
  }
}
