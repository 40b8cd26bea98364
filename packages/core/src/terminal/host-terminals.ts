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

/** The terminals of one host. `close` ends them all. */
export class HostTerminals {
  readonly #keeper: Keeper;
  readonly #hub: Hub;
  readonly #now: () => Date;
  readonly #budget = new RingBudget({ totalBytes });
  readonly #terminals = new Map<string, HostTerminal>();
  #pause: NodeJS.Timeout | undefined;
  #isListStale = false;

  constructor(keeper: Keeper, hub: Hub, now: () => Date) {
    this.#keeper = keeper;
    this.#hub = hub;
    this.#now = now;
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

  #noteExit({ uri, exit }: HostTerminal): void {
    if (exit === undefined || !this.#hub.has(uri)) return;
    this.#hub.dispatch(uri, { type: "terminal/exited", exitedAt: this.#now().toISOString(), exit });
    this.#publishList();
  }

  #forget(terminal: HostTerminal): void {
    this.#terminals.delete(terminal.id);
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
