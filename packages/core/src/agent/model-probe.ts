// Starts an agent once to ask for its models, where no session of its version has reported any (N286).
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentLaunch } from "../session/agent-launch.ts";
import type { ProcessPort, Sandbox } from "@holdfast/terminal/port";
import { within } from "../within.ts";
import { canCloseSession } from "./acp.ts";
import { AgentConnection, type AgentConnectionOptions } from "./agent-connection.ts";
import { rejectingServices } from "./agent-wire.ts";
import type { AgentEntry } from "./agent-entry.ts";
import { type SelectOption, findModelOption } from "./known-models.ts";
import { readConfigOptions, readModels } from "./session-updates.ts";

/** Dependencies of a probe. */
export interface ProbeParts {
  readonly processPort: ProcessPort;
  readonly connection: AgentConnectionOptions;
  /** Timeout of a probe. */
  readonly timeoutMs: number;
  launch(entry: AgentEntry, cwd: string): Promise<AgentLaunch>;
  /** A sandbox for one probe; undefined where agents are not isolated. */
  openSandbox(entry: AgentEntry, folder: string): Promise<Sandbox | undefined>;
}

/** How a probe ended. */
export type ProbeResult =
  | { readonly ok: true; readonly option: SelectOption | undefined }
  | { readonly ok: false; readonly error: string };

/** Probes at once on the whole host: an agent may need hundreds of megabytes to start. */
const maxRunning = 2;

/** The probes of a host: one for each agent at a time. `close` ends them. */
export class ModelProbes {
  readonly #parts: ProbeParts;
  readonly #running = new Map<string, Promise<ProbeResult>>();
  readonly #agents = new Set<AgentConnection>();
  readonly #endings = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #slots = maxRunning;
  #isClosed = false;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /** Asks an agent, or joins a query that is already running; never rejects. */
  ask(entry: AgentEntry): Promise<ProbeResult> {
    const running = this.#running.get(entry.id);
    if (running !== undefined) return running;
    const probe = this.#askInTurn(entry).finally(() => this.#running.delete(entry.id));
    this.#running.set(entry.id, probe);
    return probe;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const start of this.#waiting.splice(0)) start();
    await Promise.all([...this.#agents].map((agent) => agent.kill()));
    await Promise.all(this.#running.values());
    await Promise.all(this.#endings);
  }

  async #askInTurn(entry: AgentEntry): Promise<ProbeResult> {
    if (this.#slots === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#slots -= 1;
    try {
      return { ok: true, option: await this.#askNow(entry) };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#slots += 1;
      else next();
    }
  }

  async #askNow(entry: AgentEntry): Promise<SelectOption | undefined> {
    if (this.#isClosed) throw new Error("The host is stopping.");
    const { processPort, connection, timeoutMs } = this.#parts;
    const deadline = performance.now() + timeoutMs;
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), "holdfast-models-")));
    let agent: AgentConnection | undefined;
    let sandbox: Sandbox | undefined;
    try {
      const { request } = await this.#parts.launch(entry, folder);
      sandbox = await this.#parts.openSandbox(entry, folder);
      const handshakeMs = Math.max(1, deadline - performance.now());
      const timeouts = { ...connection.timeouts, handshakeMs, endOfInputMs: 500, killGraceMs: 1000 };
      const isolated = { ...request, sandbox: sandbox?.id };
      agent = await AgentConnection.start(processPort, isolated, refusals, { ...connection, timeouts });
      this.#agents.add(agent);
      if (this.#isClosed) throw new Error("The host is stopping.");
      const leftMs = Math.max(1, deadline - performance.now());
      const answer = converse(agent, entry, folder).then((option) => ({ option }));
      const inTime = await within(leftMs, answer);
      if (inTime === undefined) throw new Error(`${entry.label} did not report its models in time.`);
      return inTime.option;
    } finally {
      this.#end(agent, folder);
      // It ends with the agent, its last process.
      sandbox?.close();
    }
  }

  /** Ends the agent and removes its folder; the caller does not wait for that. */
  #end(agent: AgentConnection | undefined, folder: string): void {
    const ending = (async () => {
      await agent?.close();
      if (agent !== undefined) this.#agents.delete(agent);
      await rm(folder, { recursive: true, force: true });
    })()
      // A process that cannot be ended is the process port's to end, at the latest when the host closes.
      .catch(() => undefined)
      .finally(() => this.#endings.delete(ending));
    this.#endings.add(ending);
  }
}

async function converse(
  agent: AgentConnection,
  entry: AgentEntry,
  folder: string,
): Promise<SelectOption | undefined> {
  await agent.initialize();
  const { sessionId, models, configOptions } = await agent.newSession(folder, []);
  const options = readConfigOptions(configOptions ?? []);
  const legacy = models === undefined || models === null ? [] : [readModels(models)];
  const option = findModelOption(options, entry) ?? findModelOption(legacy);
  if (sessionId !== undefined && canCloseSession(agent.info)) {
    // It goes with its process anyway.
    await agent.leaveSession(sessionId, true).catch(() => undefined);
  }
  return option;
}

/** A probe has asked the agent for no work, so all its requests are rejected. */
const refusals = rejectingServices("Nothing is read, written or run while an agent is asked for its models.");
