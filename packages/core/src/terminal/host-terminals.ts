// All terminals of the host: starts them, gives each its channel, and keeps the root's list of them.
import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import {
  ROOT_URI,
  type SessionClaim,
  type SessionUri,
  type TerminalAction,
  type TerminalClaim,
  type TerminalRun,
  type TerminalUri,
  type TitleSource,
  makeId,
  newTerminalState,
  summarizeTerminal,
  terminalUri,
} from "@holdfast/ahp";
import type { Keeper, ScreenSize } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import type { WantedTerminal } from "@holdfast/terminal/acp-parts";
import { RingBudget, TerminalOutput } from "@holdfast/terminal/view";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { TerminalSpool } from "../ports.ts";
import type { AgentSide } from "./agent-side.ts";
import { Burst } from "./burst.ts";
import type { DisplayRun } from "./display-run.ts";
import { HostTerminal, type HostTerminalParts } from "./host-terminal.ts";
import { OutputTeller } from "./output-teller.ts";
import { terminalIdOf } from "./terminal-id.ts";

const mebibyte = 1024 * 1024;
const answerBytes = mebibyte;
const maxAnswerBytes = 16 * mebibyte;
const replayBytes = mebibyte;
/** A follower that loses its connection has as much on its way as sockets hold, and must find it again. */
const pacedReplayBytes = 8 * mebibyte;
const totalBytes = 512 * mebibyte;
const killGraceMs = 5000;
/** A screen that a session holds has one size, to which viewers adapt. */
const sessionSize = { columns: 120, rows: 30 };
const defaultLingerMs = 15_000;

const programLost = "The process that started it has died";
const agentSilent = "The agent ran it and did not say how it ended";

/** The list is told as a whole, so telling it for each of many changes would cost their square: it rests in between. */
const listPauseMs = 25;

/** What the terminals of a host are made with. */
export interface HostTerminalsParts {
  readonly keeper: Keeper;
  readonly hub: Hub;
  /** Keeps what they write; without it, that goes with them. */
  readonly spool?: TerminalSpool | undefined;
  readonly now: () => Date;
  /** Told when a program's question could not be answered; the program goes on without. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** For how long output is still told when the last reader of a terminal has left. Default 15 s. */
  readonly lingerMs?: number | undefined;
}

/** A terminal to be opened. */
export interface TerminalPlan {
  /** Default: one that the host makes. */
  readonly uri?: TerminalUri | undefined;
  readonly title: string;
  readonly titleSource?: TitleSource;
  readonly claim: TerminalClaim;
  readonly kind: "text" | "tty";
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: ScreenSize;
  /** The most that its agent gets to read. */
  readonly answerLimitBytes: number;
  /** The session that it is made for. */
  readonly agent?: AgentSide | undefined;
  /** That of a shell that tells of its commands. */
  readonly nonce?: string | undefined;
  /** Whether a text command gets a pipe as its input. */
  readonly hasInput?: boolean | undefined;
  /** Whether the program waits for followers that ask for it. */
  readonly isPaced?: boolean | undefined;
  /** Whether it stays when who holds it does not come back. */
  readonly isKept?: boolean | undefined;
}

/** A terminal that shows what an agent tells of a command that it runs itself. */
export interface DisplayPlan {
  readonly title: string;
  readonly claim: SessionClaim;
  readonly cwd?: string | undefined;
  readonly agent: AgentSide;
}

/** How a terminal is kept and shown, whatever writes to it. */
type ShownPlan = Pick<TerminalPlan, "title" | "titleSource" | "claim" | "agent" | "nonce"> &
  Pick<TerminalPlan, "hasInput" | "isPaced" | "isKept" | "answerLimitBytes" | "size"> & {
    readonly kind: TerminalRun;
    readonly cwd?: string | undefined;
  };

/** The terminals of one host. `close` ends them all. */
export class HostTerminals {
  readonly #parts: HostTerminalsParts;
  readonly #budget = new RingBudget({ totalBytes });
  readonly #terminals = new Map<string, HostTerminal>();
  /** URIs of terminals that are being started. */
  readonly #starting = new Set<string>();
  readonly #list = new Burst<undefined>(listPauseMs, () => this.#publishList());
  #writtenBytes = 0;
  #survivorsEnded = 0;

  constructor(parts: HostTerminalsParts) {
    this.#parts = parts;
  }

  /** How many run now, and what there was since the start. */
  get figures(): { running: number; writtenBytes: number; survivorsEnded: number } {
    const running = this.all.filter(({ state }) => state.name === "running").length;
    return { running, writtenBytes: this.#writtenBytes, survivorsEnded: this.#survivorsEnded };
  }

  /** Those that are there, oldest first. */
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
  async create(wanted: WantedTerminal, claim: SessionClaim, agent?: AgentSide): Promise<HostTerminal> {
    const { command, args, cwd, kind = "text", outputByteLimit } = wanted;
    const env = await this.#parts.keeper.buildEnvironment({
      audience: "agent-command",
      hasScreen: kind === "tty",
      variables: wanted.env,
    });
    return this.open({
      title: [command, ...args].join(" "),
      claim,
      kind,
      command,
      args,
      cwd,
      env,
      size: { ...sessionSize, ...wanted.size },
      answerLimitBytes: Math.min(Math.floor(outputByteLimit ?? answerBytes), maxAnswerBytes),
      agent,
    });
  }

  /** Starts a terminal; one that cannot start leaves nothing. */
  async open(plan: TerminalPlan): Promise<HostTerminal> {
    const uri = plan.uri ?? terminalUri(makeId("terminal", randomUUID()));
    const id = terminalIdOf(uri);
    if (this.#terminals.has(id) || this.#starting.has(id) || this.#parts.hub.has(uri)) {
      throw new HostError("TERMINAL_EXISTS");
    }
    this.#starting.add(id);
    try {
      const startedAt = this.#parts.now().toISOString();
      const terminal = await this.#start(id, uri, plan);
      this.#terminals.set(id, terminal);
      this.#openChannel(terminal, plan, startedAt);
      return terminal;
    } finally {
      this.#starting.delete(id);
    }
  }

  /** Shows a command of an agent's own, which is told to the run that it gives back. */
  show(wanted: DisplayPlan): { readonly terminal: HostTerminal; readonly run: DisplayRun } {
    const uri = terminalUri(makeId("terminal", randomUUID()));
    const id = terminalIdOf(uri);
    const plan = { ...wanted, kind: "display", size: sessionSize, answerLimitBytes: answerBytes } as const;
    const shown = HostTerminal.show(this.#makeParts(id, uri, plan));
    this.#terminals.set(id, shown.terminal);
    this.#openChannel(shown.terminal, plan, this.#parts.now().toISOString());
    return shown;
  }

  /** What an agent says of a terminal that it shows; what is so already is not told again. */
  describe(
    terminal: HostTerminal,
    { title, cwd }: { readonly title?: string | undefined; readonly cwd?: string | undefined },
  ): void {
    const state = this.#parts.hub.state(terminal.uri, "terminal");
    if (title !== undefined && title !== terminal.title) {
      terminal.title = title;
      this.tell(terminal, { type: "terminal/titleChanged", title, source: "program" });
    }
    const folder = cwd === undefined ? undefined : folderUri(cwd);
    if (folder !== undefined && folder !== state?.cwd) {
      this.tell(terminal, { type: "terminal/cwdChanged", cwd: folder });
    }
  }

  /** The view begins anew where it is; what an agent reads stays. */
  clear(terminal: HostTerminal, origin?: ActionOrigin): LogEntry | undefined {
    const offset = terminal.teller.wholeOffset;
    const entry = this.tell(terminal, { type: "terminal/cleared", offset }, origin);
    if (entry !== undefined) terminal.clear(offset);
    return entry;
  }

  /** Says who holds a terminal from now on. */
  claim({ uri }: HostTerminal, claim: TerminalClaim, origin?: ActionOrigin): LogEntry | undefined {
    const entry = this.#parts.hub.dispatch(uri, { type: "terminal/claimed", claim }, origin);
    if (entry !== undefined) this.#list.set(undefined);
    return entry;
  }

  /** Tells something of a terminal, in order with its output. */
  tell(terminal: HostTerminal, action: TerminalAction, origin?: ActionOrigin): LogEntry | undefined {
    const entry = terminal.teller.tell(action, origin);
    if (entry !== undefined && action.type === "terminal/titleChanged") this.#list.set(undefined);
    return entry;
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
    await Promise.all(this.all.map((terminal) => terminal.close()));
    this.#list.close();
    this.#publishList();
  }

  #start(id: string, uri: TerminalUri, plan: TerminalPlan): Promise<HostTerminal> {
    const { kind, command, args, cwd, env, size, hasInput = false } = plan;
    const wanted = { kind, command, args, cwd, env, hasInput, ...(kind === "tty" && { size }) };
    return HostTerminal.start(this.#makeParts(id, uri, plan), (sink) =>
      this.#parts.keeper.start(wanted, sink),
    );
  }

  #makeParts(id: string, uri: TerminalUri, plan: ShownPlan): HostTerminalParts {
    const { kind, size, agent, hasInput = false, isPaced = false, isKept = false } = plan;
    const { hub, spool, now, onFault = () => {}, lingerMs = defaultLingerMs } = this.#parts;
    const isPty = kind === "tty";
    const output = new TerminalOutput({
      kind: isPty ? "tty" : "text",
      answerLimitBytes: plan.answerLimitBytes,
      replayBytes: isPaced ? pacedReplayBytes : replayBytes,
      ...size,
      // Nobody may ever ask for the text of a person's terminal.
      answer: agent === undefined ? "lazy" : "eager",
      // One that must miss nothing may not be refused its memory; it gives it back soon.
      ...(!isPaced && { budget: this.#budget }),
    });
    const teller = new OutputTeller({ hub, uri, output, lingerMs });
    return {
      id,
      uri,
      title: plan.title,
      isPty,
      size: { cols: size.columns, rows: size.rows },
      agent,
      nonce: plan.nonce,
      hasInput,
      paced: isPaced ? { freeReplayBytes: replayBytes } : undefined,
      isKept,
      output,
      teller,
      isOpenAtHolder: () => {
        const claim = hub.state(uri, "terminal")?.claim;
        return claim?.kind === "client" && teller.isReadBy(claim.clientId);
      },
      killGraceMs,
      screenLingerMs: lingerMs,
      now,
      onFault,
      onBytes: (bytes: Uint8Array, offset: number) => {
        this.#writtenBytes += bytes.length;
        spool?.append(uri, offset, bytes);
      },
      tell: (action: TerminalAction) => {
        const entry = teller.tell(action);
        if (entry !== undefined && action.type === "terminal/titleChanged") this.#list.set(undefined);
      },
      unseenExit: kind === "display" ? agentSilent : programLost,
      onEnded: () => void spool?.end(uri),
      onClosed: (closed: HostTerminal) => this.#forget(closed),
    };
  }

  #openChannel(terminal: HostTerminal, plan: ShownPlan, startedAt: string): void {
    const { uri } = terminal;
    const { kind, title, titleSource, claim, cwd, size } = plan;
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
    terminal.teller.opened();
    this.#list.set(undefined);
    // Only now: a quick command may have exited before there was a channel to say so in.
    void terminal.exited.then(() => this.#noteExit(terminal));
  }

  #noteExit({ exit, teller }: HostTerminal): void {
    if (exit === undefined) return;
    const exitedAt = this.#parts.now().toISOString();
    teller.tell({ type: "terminal/exited", exitedAt, exit, endOffset: teller.wholeOffset });
    this.#list.set(undefined);
  }

  #forget(terminal: HostTerminal): void {
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
