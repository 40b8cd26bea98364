// All terminals of the host: starts them, gives each its channel, and keeps the root's list of them.
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import {
  ROOT_URI,
  type SessionClaim,
  type SessionUri,
  type TerminalAction,
  type TerminalClaim,
  type TerminalLeftovers,
  type TerminalUri,
  makeId,
  newTerminalState,
  summarizeTerminal,
  terminalUri,
} from "@holdfast/ahp";
import { HostError, OWNER_CLIENT_ID } from "@holdfast/protocol";
import type { WantedTerminal } from "@holdfast/terminal/acp-parts";
import type { ProcessPort } from "@holdfast/terminal/port";
import { answerLimitBytes, clampSize, makeOutput, OUTPUT_LIMITS } from "@holdfast/terminal/terminal";
import { RingBudget } from "@holdfast/terminal/view";
import { idFor } from "../agent/request-name.ts";
import type { Hub } from "../channel/hub.ts";
import { boundTitle } from "../channel/title.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { RunScope } from "../limit/host-limits.ts";
import type { Storage, TerminalSpool } from "../ports.ts";
import type { AgentSide } from "./agent-side.ts";
import { Throttle } from "./throttle.ts";
import { claimAfterExit } from "../rules/terminal-rules.ts";
import { DisplayRun, type SavedDisplayRun } from "./display-run.ts";
import { HostTerminal } from "./host-terminal.ts";
import { LeftProcesses } from "./left-processes.ts";
import { OpenTerminals } from "./open-terminals.ts";
import { OutputPace } from "./output-pace.ts";
import { OutputPublisher } from "./output-publisher.ts";
import type { ProcessOwners } from "./process-owners.ts";
import { rivalUriOf, terminalIdOf } from "./terminal-id.ts";
import type { CommandBounds, DisplayPlan, ShownPlan, TerminalPlan } from "./terminal-plan.ts";
import { type Continuation, type HeldTerminalRun, readContinuation, tagOf } from "./terminal-tag.ts";

/** A screen that a session holds has one size, to which viewers adapt. */
const sessionSize = { columns: 120, rows: 30 };
const defaultLingerMs = 15_000;

const programLost = "The process that started it has died";
const agentSilent = "The agent ran it and did not say how it ended";

/** The list is published as a whole, so publishing it for each of many changes would cost their square: it pauses in between. */
const listPauseMs = 25;

/** Dependencies and settings of the terminals of a host. */
export interface HostTerminalsParts {
  readonly processPort: ProcessPort;
  readonly hub: Hub;
  /** Keeps what they write; without it, that goes with them. */
  readonly spool?: TerminalSpool | undefined;
  readonly now: () => Date;
  /** Learns whom processes are started for. */
  readonly owners?: ProcessOwners | undefined;
  /** Called when a program's query could not be answered; the program continues without. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** The limits that all commands share. */
  readonly scopes?: readonly RunScope[] | undefined;
  /** Whether runs may outlive this host, so that the next one shows them. */
  readonly keepsRuns?: boolean | undefined;
  /** For how long output is still published when the last reader of a terminal has left. Default 15 s. */
  readonly lingerMs?: number | undefined;
}

/** The terminals of one host. `close` ends them all. */
export class HostTerminals {
  readonly #parts: HostTerminalsParts;
  readonly #budget = new RingBudget({ totalBytes: OUTPUT_LIMITS.totalBytes });
  readonly #terminals = new Map<string, HostTerminal>();
  /** URIs of terminals that are being started. */
  readonly #starting = new Set<string>();
  readonly #list = new Throttle<undefined>(listPauseMs, () => this.#publishList());
  readonly #left: LeftProcesses;
  readonly #open = new OpenTerminals();
  #writtenBytes = 0;
  #survivorsEnded = 0;

  constructor(parts: HostTerminalsParts) {
    this.#parts = parts;
    this.#left = new LeftProcesses({
      publish: (terminal, leftovers) => this.#publishLeft(terminal, leftovers),
      onFault: parts.onFault ?? (() => {}),
    });
  }

  /** How many run now, and what there was since the start. */
  get stats(): { running: number; writtenBytes: number; survivorsEnded: number } {
    const running = this.all.filter(({ state }) => state.name === "running").length;
    return { running, writtenBytes: this.#writtenBytes, survivorsEnded: this.#survivorsEnded };
  }

  /** Somebody lists them: looks again for processes that were left. */
  listed(): void {
    this.#left.listed();
  }

  /** The terminals in memory, oldest first. */
  get all(): readonly HostTerminal[] {
    return [...this.#terminals.values()];
  }

  get(id: string): HostTerminal | undefined {
    return this.#terminals.get(id);
  }

  find(uri: string): HostTerminal | undefined {
    const terminal = this.#terminals.get(terminalIdOf(uri));
    // Two spellings of a URI may have the same id.
    return terminal?.uri === uri ? terminal : undefined;
  }

  /** Runs a command for an agent, held by its session. */
  async create(
    wanted: WantedTerminal,
    claim: SessionClaim,
    agent?: AgentSide,
    { limits, scopes, isolation, request }: CommandBounds = {},
  ): Promise<HostTerminal> {
    const { command, args, cwd, kind = "text", outputByteLimit } = wanted;
    const env = await this.#parts.processPort.buildEnvironment({
      audience: "agent-command",
      hasScreen: kind === "tty",
      variables: wanted.env,
      ...(isolation?.level === "workspace" && { withoutSecrets: true, keepSecrets: isolation.keepSecrets }),
    });
    return this.open({
      ...(request !== undefined && {
        uri: terminalUri(makeId("terminal", idFor(request, "terminal"))),
        startKey: `${request} terminal`,
      }),
      title: [command, ...args].join(" "),
      commandLine: [command, ...args].join(" "),
      claim,
      kind,
      command,
      args,
      cwd,
      env,
      size: { ...sessionSize, ...wanted.size },
      answerLimitBytes: answerLimitBytes(outputByteLimit),
      agent,
      limits,
      scopes,
      sandbox: isolation?.id,
    });
  }

  /** Starts a terminal; one that cannot start leaves nothing. */
  async open(wanted: TerminalPlan): Promise<HostTerminal> {
    // Here and nowhere else, so that the state, the text and the PTY have the same size (U201).
    const plan = { ...wanted, size: clampSize(wanted.size) };
    const uri = plan.uri ?? terminalUri(makeId("terminal", randomUUID()));
    const id = terminalIdOf(uri);
    const rival = rivalUriOf(uri);
    const rivalId = rival === undefined ? undefined : terminalIdOf(rival);
    const isTaken = [id, rivalId].some(
      (each) => each !== undefined && (this.#terminals.has(each) || this.#starting.has(each)),
    );
    if (isTaken || this.#parts.hub.has(uri)) throw new HostError("TERMINAL_EXISTS");
    this.#starting.add(id);
    try {
      const startedAt = this.#parts.now().toISOString();
      const terminal = await this.#start(id, uri, plan, startedAt);
      this.#terminals.set(id, terminal);
      this.#openChannel(terminal, plan, startedAt);
      return terminal;
    } finally {
      this.#starting.delete(id);
    }
  }

  /** Shows a command that an agent runs itself; the agent's reports go to the run that it gives back. */
  show(wanted: DisplayPlan): { readonly terminal: HostTerminal; readonly run: DisplayRun } {
    const uri = terminalUri(makeId("terminal", randomUUID()));
    const id = terminalIdOf(uri);
    const plan = {
      ...wanted,
      kind: "display",
      size: sessionSize,
      answerLimitBytes: answerLimitBytes(undefined),
    } as const;
    const terminal = this.#make(id, uri, plan);
    const run = terminal.attach((sink) => new DisplayRun(sink));
    this.#terminals.set(id, terminal);
    this.#openChannel(terminal, plan, this.#parts.now().toISOString());
    return { terminal, run };
  }

  /** Title and directory that an agent reports for a terminal that it shows; only changes are published. */
  describe(
    terminal: HostTerminal,
    { title, cwd }: { readonly title?: string | undefined; readonly cwd?: string | undefined },
  ): void {
    const state = this.#parts.hub.state(terminal.uri, "terminal");
    if (title !== undefined && title !== terminal.title) {
      terminal.title = title;
      this.dispatch(terminal, { type: "terminal/titleChanged", title, source: "agent" });
    }
    const folder = cwd === undefined ? undefined : folderUri(cwd);
    if (folder !== undefined && folder !== state?.cwd) {
      this.dispatch(terminal, { type: "terminal/cwdChanged", cwd: folder });
    }
  }

  /** Empties the view; what an agent reads stays. */
  clear(terminal: HostTerminal, origin?: ActionOrigin): LogEntry | undefined {
    const offset = terminal.publisher.wholeOffset;
    const entry = this.dispatch(terminal, { type: "terminal/cleared", offset }, origin);
    if (entry !== undefined) terminal.clear(offset);
    return entry;
  }

  /** Publishes the holder of a terminal from now on. */
  claim({ uri }: HostTerminal, claim: TerminalClaim, origin?: ActionOrigin): LogEntry | undefined {
    const entry = this.#parts.hub.dispatch(uri, { type: "terminal/claimed", claim }, origin);
    if (entry !== undefined) this.#list.set(undefined);
    return entry;
  }

  /** Tells something of a terminal, in order with its output. */
  dispatch(terminal: HostTerminal, action: TerminalAction, origin?: ActionOrigin): LogEntry | undefined {
    return terminal.publisher.dispatch(action, origin);
  }

  /** Ends what a session still holds. */
  async endClaimedBy(session: SessionUri): Promise<void> {
    const held = this.all.filter(({ uri }) => {
      const claim = this.#parts.hub.state(uri, "terminal")?.claim;
      return claim?.kind === "session" && claim.session === session;
    });
    await Promise.all(held.map((terminal) => terminal.close()));
  }

  async close(): Promise<void> {
    this.#left.close();
    await Promise.all(this.all.map((terminal) => terminal.close()));
    this.#list.close();
    this.#publishList();
  }

  /**
   * Makes the terminal of an earlier host again, whose channel is open: what its run has held is read once more, and
   * what was published is not published again (U720).
   */
  async attach(held: HeldTerminalRun, storage: Storage, agent: AgentSide | undefined): Promise<HostTerminal> {
    const { run, tag, state } = held;
    const { uri, marker } = tag;
    const { hub, spool, processPort, owners, scopes = [] } = this.#parts;
    const extent = await spool?.extent(uri);
    const continuation = readContinuation(storage, held, extent?.endOffset ?? 0);
    const { claim, size } = state;
    const plan = {
      ...tag.plan,
      claim,
      agent,
      isKept: tag.plan.isKept === true || (claim.kind === "client" && claim.clientId === OWNER_CLIENT_ID),
      ...(size !== undefined && { size: { columns: size.cols, rows: size.rows } }),
    };
    if (marker !== undefined) {
      const session = tag.session;
      owners?.restore(
        marker,
        session === undefined ? { kind: "terminal", uri } : { kind: "session", uri: session },
      );
    }
    const terminal = this.#make(terminalIdOf(uri), uri, plan, continuation);
    this.#terminals.set(terminal.id, terminal);
    terminal.publisher.opened();
    const from = { output: continuation.place?.rawOffset ?? 0 };
    await terminal.start((sink) => processPort.attach(run.id, sink, from));
    if (!run.hasExited) void terminal.exited.then(this.#open.reenter(scopes));
    this.#list.set(undefined);
    void terminal.exited.then(() => this.#noteExit(terminal));
    // Its title may have changed when no host was there.
    hub.settled().catch(() => undefined);
    return terminal;
  }

  /** Shows a command again that an agent runs itself, with the output that is kept; undefined when nothing is. */
  async showAgain(
    uri: TerminalUri,
    saved: SavedDisplayRun,
    agent: AgentSide,
  ): Promise<{ readonly terminal: HostTerminal; readonly run: DisplayRun } | undefined> {
    const { hub, spool } = this.#parts;
    const state = hub.state(uri, "terminal");
    if (state === undefined) return undefined;
    const bytes = await readSpooled(spool, uri, saved.writtenBytes);
    const { title, claim } = state;
    const plan = {
      title,
      claim,
      agent,
      kind: "display",
      size: sessionSize,
      answerLimitBytes: answerLimitBytes(undefined),
    } as const;
    const startedAt = new Date(state.startedAt ?? this.#parts.now());
    const shownOffset = saved.writtenBytes;
    const continuation = { startedAt, shownOffset, published: new Set<string>(), commands: [] };
    const terminal = this.#make(terminalIdOf(uri), uri, plan, continuation);
    this.#terminals.set(terminal.id, terminal);
    terminal.publisher.opened();
    const run = terminal.attach((sink) => {
      sink.bytes("output", bytes, 0);
      return new DisplayRun(sink, { ...saved, state: "running", writtenBytes: saved.writtenBytes });
    });
    const exit = state.lifecycle.status === "exited" ? state.lifecycle.exit : undefined;
    if (saved.state !== "running") {
      run.exit(exit?.kind === "code" ? exit.exitCode : null, exit?.kind === "signal" ? exit.signal : null);
    }
    if (saved.state === "ended") run.finish();
    this.#list.set(undefined);
    void terminal.exited.then(() => this.#noteExit(terminal));
    return { terminal, run };
  }

  async #start(id: string, uri: TerminalUri, plan: TerminalPlan, startedAt: string): Promise<HostTerminal> {
    const { kind, command, args, cwd, env, size, limits, hasInput = false, separateError } = plan;
    const scopes = plan.scopes ?? this.#parts.scopes ?? [];
    const files = { hasInput, separateError, ...(kind === "tty" && { size }) };
    const { agent, sandbox } = plan;
    const marker = this.#parts.owners?.issue(
      agent === undefined ? { kind: "terminal", uri } : { kind: "session", uri: agent.session },
    );
    const tag = JSON.stringify(tagOf(uri, plan, startedAt, marker));
    const away = { key: plan.startKey, tag, whileAway: plan.isPaced === true ? "keep" : "tail" } as const;
    const request = { kind, command, args, cwd, env, limits, scopes, marker, sandbox, ...files, ...away };
    const leave = this.#open.enter(scopes);
    try {
      const terminal = this.#make(id, uri, plan);
      await terminal.start((sink) => this.#parts.processPort.start(request, sink));
      void terminal.exited.then(leave);
      return terminal;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #make(id: string, uri: TerminalUri, plan: ShownPlan, earlier?: Continuation): HostTerminal {
    const { agent, size, hasInput = false, isPaced = false, isKept = false } = plan;
    const { hub, spool, now, onFault = () => {}, lingerMs = defaultLingerMs } = this.#parts;
    const kind = plan.kind === "tty" ? "tty" : "text";
    const output = makeOutput({
      kind,
      size,
      answerLimitBytes: plan.answerLimitBytes,
      replayBytes: isPaced ? OUTPUT_LIMITS.pacedReplayBytes : OUTPUT_LIMITS.replayBytes,
      // The text of a person's terminal may never be read.
      isFoldedOnRequest: agent === undefined,
      // The budget never denies memory to a paced terminal, which must miss nothing; it gives it back soon.
      budget: isPaced ? undefined : this.#budget,
      startOffset: earlier?.place?.offset,
    });
    const pace = isPaced
      ? new OutputPace({
          hold: (isHeld) => terminal.hold(isHeld),
          onFree: () => output.shrinkReplay(OUTPUT_LIMITS.replayBytes),
        })
      : undefined;
    const publisher = new OutputPublisher({
      hub,
      uri,
      output,
      lingerMs,
      isText: kind === "text",
      earlier,
      onBytes: (bytes, offset) => {
        const known = Math.max(0, (earlier?.shownOffset ?? 0) - offset);
        pace?.wrote(offset + bytes.length);
        if (known >= bytes.length) return;
        this.#writtenBytes += bytes.length - known;
        spool?.append(uri, offset + known, bytes.subarray(known));
      },
      onTitle: () => this.#list.set(undefined),
      onEnded: () => {
        void spool?.end(uri);
        this.#left.outputEnded(terminal);
      },
    });
    const terminal: HostTerminal = new HostTerminal({
      id,
      uri,
      kind,
      title: plan.title,
      size,
      output,
      publisher,
      agent,
      hasInput,
      pace,
      isKept,
      isIsolated: plan.sandbox !== undefined,
      nonce: plan.nonce,
      commandLine: plan.commandLine,
      // A script follows it that wants every byte.
      keepsMarks: isPaced,
      screenLingerMs: lingerMs,
      ...(earlier !== undefined && { continues: earlier, startedAt: earlier.startedAt }),
      ...(this.#parts.keepsRuns === true && { heldBytes: heldBytesOf(plan) }),
      unseenExit: plan.kind === "display" ? agentSilent : programLost,
      now,
      onFault,
      onLeft: (survivors) => this.#left.found(terminal, survivors),
      onClosed: () => this.#forget(terminal),
    });
    return terminal;
  }

  #openChannel(terminal: HostTerminal, plan: ShownPlan, startedAt: string): void {
    const { uri } = terminal;
    const { kind, titleSource, claim, cwd, size } = plan;
    const title = boundTitle(plan.title);
    const folder = cwd === undefined ? undefined : folderUri(cwd);
    this.#parts.hub.open(
      uri,
      "terminal",
      newTerminalState({
        resource: uri,
        run: kind,
        title,
        ...(titleSource !== undefined && { titleSource }),
        claim,
        startedAt,
        ...(folder !== undefined && { cwd: folder }),
        ...(kind === "tty" && { size: { cols: size.columns, rows: size.rows } }),
      }),
    );
    terminal.publisher.opened();
    this.#list.set(undefined);
    // Only now: a quick command may have exited before there was a channel to say so in.
    void terminal.exited.then(() => this.#noteExit(terminal));
  }

  #noteExit(terminal: HostTerminal): void {
    const { exit, publisher, uri } = terminal;
    if (exit === undefined) return;
    const held = this.#parts.hub.state(uri, "terminal")?.claim;
    const claim = held && claimAfterExit(held);
    if (claim !== undefined && claim !== held) this.claim(terminal, claim);
    const exitedAt = this.#parts.now().toISOString();
    publisher.dispatch({ type: "terminal/exited", exitedAt, exit, endOffset: publisher.wholeOffset });
    this.#list.set(undefined);
    this.#left.commandExited(terminal);
  }

  #publishLeft(terminal: HostTerminal, leftovers: TerminalLeftovers | undefined): void {
    const known = this.#parts.hub.state(terminal.uri, "terminal")?.leftovers;
    if (isDeepStrictEqual(known, leftovers)) return;
    const changed = leftovers === undefined ? {} : { leftovers };
    terminal.publisher.dispatch({ type: "terminal/leftoversChanged", ...changed });
    this.#list.set(undefined);
  }

  #forget(terminal: HostTerminal): void {
    this.#left.forget(terminal);
    this.#terminals.delete(terminal.id);
    this.#survivorsEnded += terminal.survivorCount;
    void this.#parts.spool?.end(terminal.uri);
    this.#parts.hub.close(terminal.uri);
    this.#list.set(undefined);
  }

  #publishList(): void {
    const { hub } = this.#parts;
    const terminals = this.all.flatMap(({ uri }) => {
      const state = hub.state(uri, "terminal");
      return state === undefined ? [] : [summarizeTerminal(state)];
    });
    hub.dispatch(ROOT_URI, { type: "root/terminalsChanged", terminals });
  }
}

/** A folder as a URI; undefined where an agent names none that could be found again. */
function folderUri(cwd: string): string | undefined {
  return isAbsolute(cwd) ? pathToFileURL(cwd).href : undefined;
}

/** As much as the terminal itself keeps: the next host shows what this one shows. */
function heldBytesOf({ answerLimitBytes: answer, isPaced = false }: ShownPlan): number {
  return Math.max(answer, isPaced ? OUTPUT_LIMITS.pacedReplayBytes : OUTPUT_LIMITS.replayBytes);
}

/** The output of a displayed command up to an offset; what the spool does not have is left out. */
async function readSpooled(
  spool: TerminalSpool | undefined,
  uri: string,
  endOffset: number,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; offset < endOffset;) {
    const slice = await spool?.read(uri, offset, endOffset - offset);
    if (slice === undefined || slice.bytes.length === 0) break;
    pieces.push(slice.bytes);
    offset = slice.endOffset;
  }
  return Buffer.concat(pieces).subarray(0, endOffset);
}
