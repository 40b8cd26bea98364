// All terminals of the host: starts them, gives each its channel, and keeps the root's list of them.
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import {
  ROOT_URI,
  type SessionClaim,
  makeId,
  newTerminalState,
  summarizeTerminal,
  terminalUri,
} from "@holdfast/ahp";
import type { Keeper } from "@holdfast/keeper/port";
import type { WantedTerminal } from "@holdfast/terminal/acp-parts";
import { RingBudget, TerminalOutput } from "@holdfast/terminal/view";
import type { Hub } from "../channel/hub.ts";
import type { TerminalSpool } from "../ports.ts";
import { HostTerminal } from "./host-terminal.ts";

const mebibyte = 1024 * 1024;
const answerBytes = mebibyte;
const maxAnswerBytes = 16 * mebibyte;
const replayBytes = mebibyte;
const totalBytes = 512 * mebibyte;
const killGraceMs = 5000;
/** A screen that a session holds has one size, to which viewers adapt. */
const sessionSize = { columns: 120, rows: 30 };

/** How long the list rests after it was told. */
const listPauseMs = 25;

/** What the terminals of a host are made with. */
export interface HostTerminalsParts {
  readonly keeper: Keeper;
  readonly hub: Hub;
  /** Keeps what they write; without it, that goes with them. */
  readonly spool?: TerminalSpool | undefined;
  readonly now: () => Date;
}

/** The terminals of one host. `close` ends them all. */
export class HostTerminals {
  readonly #keeper: Keeper;
  readonly #hub: Hub;
  readonly #spool: TerminalSpool | undefined;
  readonly #now: () => Date;
  readonly #budget = new RingBudget({ totalBytes });
  readonly #terminals = new Map<string, HostTerminal>();
  #pause: NodeJS.Timeout | undefined;
  #isListStale = false;
  #writtenBytes = 0;
  #survivorsEnded = 0;

  constructor({ keeper, hub, spool, now }: HostTerminalsParts) {
    this.#keeper = keeper;
    this.#hub = hub;
    this.#spool = spool;
    this.#now = now;
  }

  /** How many run now, and what there was since the start. */
  get figures(): { running: number; writtenBytes: number; survivorsEnded: number } {
    const running = [...this.#terminals.values()].filter(({ state }) => state.name === "running").length;
    return { running, writtenBytes: this.#writtenBytes, survivorsEnded: this.#survivorsEnded };
  }

  /** Runs a command for an agent, held by its session. */
  async create(wanted: WantedTerminal, claim: SessionClaim): Promise<HostTerminal> {
    const { command, args, cwd, kind = "text", outputByteLimit } = wanted;
    const size = { ...sessionSize, ...wanted.size };
    const isPty = kind === "tty";
    const env = await this.#keeper.buildEnvironment({
      audience: "agent-command",
      hasScreen: isPty,
      variables: wanted.env,
    });
    const id = randomUUID();
    const uri = terminalUri(makeId("terminal", id));
    const title = [command, ...args].join(" ");
    const limit = Math.min(Math.floor(outputByteLimit ?? answerBytes), maxAnswerBytes);
    const output = new TerminalOutput({
      kind,
      answerLimitBytes: limit,
      replayBytes,
      ...size,
      budget: this.#budget,
    });
    const parts = {
      id,
      uri,
      title,
      isPty,
      claim,
      output,
      killGraceMs,
      onBytes: (bytes: Uint8Array, offset: number) => {
        this.#writtenBytes += bytes.length;
        this.#spool?.append(uri, offset, bytes);
      },
      onEnded: () => void this.#spool?.end(uri),
      onClosed: (closed: HostTerminal) => this.#forget(closed),
    };
    const terminal = await HostTerminal.start(parts, (sink) =>
      this.#keeper.start({ kind, command, args, cwd, env, ...(isPty && { size }) }, sink),
    );
    this.#terminals.set(id, terminal);
    this.#hub.open(
      uri,
      "terminal",
      newTerminalState({
        resource: uri,
        run: kind,
        title,
        claim,
        cwd: pathToFileURL(cwd).href,
        ...(isPty && { size: { cols: size.columns, rows: size.rows } }),
      }),
    );
    this.#publishList();
    // Only now: a quick command may have exited before there was a channel to say so in.
    void terminal.exited.then(() => this.#noteExit(terminal));
    return terminal;
  }

  get(id: string): HostTerminal | undefined {
    return this.#terminals.get(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#terminals.values()].map((terminal) => terminal.close()));
    clearTimeout(this.#pause);
    this.#publishListNow();
  }

  #noteExit({ uri, exit, output: { endOffset } }: HostTerminal): void {
    if (exit === undefined || !this.#hub.has(uri)) return;
    const exitedAt = this.#now().toISOString();
    this.#hub.dispatch(uri, { type: "terminal/exited", exitedAt, exit, endOffset });
    this.#publishList();
  }

  #forget(terminal: HostTerminal): void {
    this.#terminals.delete(terminal.id);
    this.#survivorsEnded += terminal.survivorCount;
    void this.#spool?.end(terminal.uri);
    this.#hub.close(terminal.uri);
    this.#publishList();
  }

  /**
   * The list is told as a whole, so telling it for each of many changes would cost their square: the first is told at
   * once, the rest of a burst together.
   */
  #publishList(): void {
    if (this.#pause !== undefined) {
      this.#isListStale = true;
      return;
    }
    this.#publishListNow();
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#isListStale) this.#publishList();
    }, listPauseMs);
    this.#pause.unref();
  }

  #publishListNow(): void {
    this.#isListStale = false;
    const terminals = [...this.#terminals.values()].flatMap(({ uri }) => {
      const state = this.#hub.state(uri, "terminal");
      return state === undefined ? [] : [summarizeTerminal(state)];
    });
    this.#hub.dispatch(ROOT_URI, { type: "root/terminalsChanged", terminals });
  }
}
