// Runs and sandboxes that an earlier host left in the process port: the owner of each, and how it is reattached.
import {
  type Held,
  type HeldRun,
  type HeldSandbox,
  type ProcessPort,
  TerminalError,
} from "@holdfast/terminal/port";
import type { Audit } from "../audit/audit.ts";
import { recordLaterExits } from "../audit/command-audit.ts";
import type { HostLimits } from "../limit/host-limits.ts";
import type { Storage, StoredRun } from "../ports.ts";
import type { HostTerminals } from "../terminal/host-terminals.ts";
import type { HeldTerminalRun, TerminalTag } from "../terminal/terminal-tag.ts";
import type { AgentTag } from "./agent-launch.ts";
import type { SavedSession, SessionRemains } from "./host-session.ts";
import type { SavedAgent } from "./session-agent.ts";
import type { Log } from "./session-deps.ts";
import type { Sessions } from "./sessions.ts";

/** Everything that is still there, by what it belongs to. */
export class Remains {
  /** By the URI of the terminal. */
  readonly terminals: ReadonlyMap<string, HeldTerminalRun>;
  /** By the URI of the session. */
  readonly sessions: ReadonlyMap<string, SessionRemains>;
  /** URIs of terminals whose commands ran, as far as the earlier host knew. */
  readonly running: ReadonlySet<string>;
  /** Kept runs of agents that nobody will continue. */
  readonly lostRuns: readonly string[];
  readonly #held: Held;
  readonly #claimed = new Set<string>();
  /** Starts that a request may repeat which is handled again. */
  readonly #startKeys: ReadonlySet<string>;

  constructor(held: Held, storage: Storage) {
    this.#held = held;
    const tagged = held.runs.flatMap((run) => {
      const tag = readTag(run);
      return tag === undefined ? [] : [{ run, tag }];
    });
    const open = new Map(storage.openChannels("terminal").map(({ uri, state }) => [uri, state]));
    this.running = new Set(
      [...open].flatMap(([uri, { lifecycle }]) => (lifecycle.status === "running" ? [uri] : [])),
    );
    this.terminals = new Map(
      tagged.flatMap(({ run, tag }) => {
        const state = tag.kind === "terminal" ? open.get(tag.uri) : undefined;
        return tag.kind === "terminal" && state !== undefined ? [[tag.uri, { run, tag, state }]] : [];
      }),
    );
    for (const { run } of this.terminals.values()) this.#claimed.add(run.id);
    const agents = new Map(tagged.flatMap(({ run, tag }) => (tag.kind === "agent" ? [[tag.run, run]] : [])));
    const sandboxes = new Map(held.sandboxes.map((each) => [each.tag, each]));
    const stored = storage.runs();
    this.sessions = this.#findSessions(storage, stored, agents, sandboxes);
    const continued = new Set([...this.sessions.values()].map(({ agent }) => agent?.stored.run));
    this.lostRuns = stored.flatMap(({ run }) => (continued.has(run) ? [] : [run]));
    this.#startKeys = new Set(
      stored.flatMap(({ run, requests }) => requests.map(({ offset }) => `${run}:${offset} terminal`)),
    );
  }

  /** Whether a session continues that shows a command which its agent runs itself. */
  shows(terminal: string): boolean {
    return [...this.sessions.values()].some(
      ({ agent, saved }) =>
        agent !== undefined && saved?.services?.displayed.some(({ uri }) => uri === terminal) === true,
    );
  }

  /**
   * Runs that were started for a request that is handled again: the request gets them by repeating the start. One that
   * does not, because the command is denied now, leaves its run to nobody.
   */
  get repeatable(): readonly HeldRun[] {
    return this.#held.runs.filter(({ id, key }) => {
      return !this.#claimed.has(id) && key !== undefined && this.#startKeys.has(key);
    });
  }

  /** Ends what no session and no terminal continues; it has no owner any more. */
  async endUnclaimed(processPort: ProcessPort, log: Log): Promise<void> {
    const { repeatable } = this;
    const runs = this.#held.runs.filter((run) => !this.#claimed.has(run.id) && !repeatable.includes(run));
    const used = new Set([...this.sessions.values()].map(({ sandbox }) => sandbox));
    for (const each of this.#held.sandboxes) if (!used.has(each)) each.sandbox.close();
    await Promise.all(runs.map((run) => endRun(processPort, run, log)));
  }

  #findSessions(
    storage: Storage,
    stored: readonly StoredRun[],
    agents: ReadonlyMap<string, HeldRun>,
    sandboxes: ReadonlyMap<string | undefined, HeldSandbox>,
  ): ReadonlyMap<string, SessionRemains> {
    const byUri = new Map<string, SessionRemains>();
    for (const { uri, state } of storage.openChannels("session")) {
      // The newest: an agent that was restarted may have left an earlier run.
      const run = stored.findLast(({ session }) => session === uri);
      const saved = run && (JSON.parse(run.state) as SavedSession);
      const held = run && agents.get(run.run);
      const sandbox = sandboxes.get(uri);
      const isReady = state.lifecycle.status !== "stale" && state.lifecycle.status !== "creating";
      const savedAgent = saved && readAgent(saved);
      const agent =
        run !== undefined && held !== undefined && isReady && savedAgent !== undefined
          ? { runId: held.id, stored: run, saved: savedAgent }
          : undefined;
      if (agent !== undefined) this.#claimed.add(agent.runId);
      byUri.set(uri, { saved, agent, sandbox });
    }
    return byUri;
  }
}

/** Makes terminals and sessions of an earlier host work again, in the order in which they need each other. */
export async function reattach(
  remains: Remains,
  parts: {
    readonly storage: Storage;
    readonly terminals: HostTerminals;
    readonly sessions: Sessions;
    readonly processPort: ProcessPort;
    readonly limits: HostLimits;
    readonly audit: Audit;
    readonly log: Log;
  },
): Promise<void> {
  const { storage, terminals, sessions, processPort, limits, audit, log } = parts;
  await Promise.all(
    [...remains.terminals.values()].map((held) => {
      const session = held.tag.session && sessions.ofChannel(held.tag.session);
      return terminals.earlier.attach(held, storage, session?.agentSide, limits.scopesOf(session?.state));
    }),
  );
  for (const session of sessions.all) {
    const found = remains.sessions.get(session.uri);
    if (found === undefined) continue;
    try {
      await session.restore(found);
    } catch (error) {
      log("error", "A session could not be continued", { session: session.key, error });
    }
  }
  const running = terminals.all.filter(({ uri }) => remains.running.has(uri));
  recordLaterExits(audit, storage.audit, running, (error) =>
    log("error", "The exit of a command could not be recorded", { error }),
  );
  await remains.endUnclaimed(processPort, log);
  const later = setTimeout(() => {
    for (const run of remains.repeatable) {
      const tag = readTag(run);
      const isShown = tag?.kind === "terminal" && terminals.find(tag.uri) !== undefined;
      if (!isShown) void endRun(processPort, run, log);
    }
  }, repeatedStartMs);
  later.unref();
}

/** The agent, if it was ready: one that was being opened is of no use. */
function readAgent(saved: SavedSession): SavedAgent | undefined {
  const { sessionId, connection, needsRestart = false, launchedModel, toolsDigest } = saved;
  if (sessionId === undefined || connection === undefined) return undefined;
  return { sessionId, connection, needsRestart, launchedModel, toolsDigest };
}

/** A run without notes of this host, or with those of a version that is not known, belongs to nobody. */
function readTag({ tag }: HeldRun): AgentTag | TerminalTag | undefined {
  if (tag === undefined) return undefined;
  try {
    const read = JSON.parse(tag) as AgentTag | TerminalTag;
    return read.kind === "agent" || read.kind === "terminal" ? read : undefined;
  } catch {
    // Not JSON: another program's.
    return undefined;
  }
}

const endGraceMs = 1000;
/** A start that is repeated was allowed before, so that nobody is asked again: it comes at once or never. */
const repeatedStartMs = 30_000;

async function endRun(processPort: ProcessPort, { id }: HeldRun, log: Log): Promise<void> {
  const nothing = (): void => {};
  try {
    const run = await processPort.attach(id, { bytes: nothing, exit: nothing, end: nothing }, {});
    await run.end(endGraceMs);
    run.release();
  } catch (error) {
    if (error instanceof TerminalError && error.code === "run_not_found") return;
    log("warn", "A run without an owner could not be ended", { run: id, error });
  }
}

/** Whether a session's turn continues, or begins again. */
export function continuesTurn(remains: SessionRemains | undefined, turnId: string): boolean {
  const turn = remains?.saved?.turn;
  if (turn?.id !== turnId) return false;
  return turn.prompt === undefined || remains?.agent !== undefined;
}
