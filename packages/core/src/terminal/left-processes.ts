// Processes that commands left running: looked for when a command exits, and now and then while any are known.
import type { LeftProcess, TerminalLeftovers } from "@holdfast/ahp";
import type { TreeProcess } from "@holdfast/terminal/port";
import type { HostTerminal } from "./host-terminal.ts";

/** Dependencies of the search. */
export interface LeftProcessesDeps {
  /** Publishes what a terminal's command left running; undefined when that is nothing. */
  readonly publish: (terminal: HostTerminal, left: TerminalLeftovers | undefined) => void;
  readonly onFault: (error: unknown) => void;
}

/** Processes that die with their command, such as the rest of a pipeline, are gone by then and never published. */
const settleMs = 100;
/** One timer for all terminals, which runs only while some have processes left: an idle host stays idle. */
const lookAgainMs = 30_000;
/** How soon a list that somebody asks for may cause another look. */
const listPauseMs = 1000;
const maxListed = 8;
const maxCommandLength = 200;

/** Keeps what is published of left processes true, within `lookAgainMs`. `close` ends it. */
export class LeftProcesses {
  readonly #deps: LeftProcessesDeps;
  readonly #known = new Set<HostTerminal>();
  readonly #soon = new Map<HostTerminal, NodeJS.Timeout>();
  /** The newest look at each terminal whose result counts: an earlier one may take longer, and is out of date then. */
  readonly #newest = new WeakMap<HostTerminal, number>();
  #looks = 0;
  #again: NodeJS.Timeout | undefined;
  #lookedAtMs = 0;

  constructor(deps: LeftProcessesDeps) {
    this.#deps = deps;
  }

  /** A command has exited: whatever is there now is looked at again once it has had time to end. */
  commandExited(terminal: HostTerminal): void {
    this.#look(terminal, (survivors) => {
      if (survivors.length > 0) this.#lookSoon(terminal);
    });
  }

  /** Nobody writes to a terminal any more: its last process may just be ending. */
  outputEnded(terminal: HostTerminal): void {
    if (this.#known.has(terminal)) this.#lookSoon(terminal);
  }

  /** Processes were looked for, or ended; looks that are under way were earlier (U324). */
  found(terminal: HostTerminal, survivors: readonly TreeProcess[]): void {
    this.#newest.set(terminal, this.#looks);
    this.#apply(terminal, survivors);
  }

  #apply(terminal: HostTerminal, survivors: readonly TreeProcess[]): void {
    if (survivors.length > 0) this.#known.add(terminal);
    // A process that was never published needs no notice that it is gone.
    else if (!this.#known.delete(terminal)) return;
    this.#deps.publish(terminal, survivors.length === 0 ? undefined : describe(survivors));
    this.#schedule();
  }

  /** Somebody lists terminals: the result of this search is in the next list. */
  listed(): void {
    const nowMs = performance.now();
    if (this.#known.size === 0 || nowMs - this.#lookedAtMs < listPauseMs) return;
    this.#lookAtAll();
  }

  forget(terminal: HostTerminal): void {
    clearTimeout(this.#soon.get(terminal));
    this.#soon.delete(terminal);
    this.#known.delete(terminal);
    this.#schedule();
  }

  close(): void {
    for (const timer of this.#soon.values()) clearTimeout(timer);
    this.#soon.clear();
    this.#known.clear();
    this.#schedule();
  }

  #lookSoon(terminal: HostTerminal): void {
    clearTimeout(this.#soon.get(terminal));
    const timer = setTimeout(() => {
      this.#soon.delete(terminal);
      this.#look(terminal, (survivors) => this.#apply(terminal, survivors));
    }, settleMs);
    timer.unref();
    this.#soon.set(terminal, timer);
  }

  #schedule(): void {
    if (this.#known.size > 0 && this.#again === undefined) {
      this.#again = setInterval(() => this.#lookAtAll(), lookAgainMs);
      this.#again.unref();
    } else if (this.#known.size === 0) {
      clearInterval(this.#again);
      this.#again = undefined;
    }
  }

  #lookAtAll(): void {
    this.#lookedAtMs = performance.now();
    for (const terminal of this.#known) {
      this.#look(terminal, (survivors) => this.#apply(terminal, survivors));
    }
  }

  #look(terminal: HostTerminal, then: (survivors: readonly TreeProcess[]) => void): void {
    this.#looks += 1;
    const look = this.#looks;
    const take = (survivors: readonly TreeProcess[]): void => {
      if (look <= (this.#newest.get(terminal) ?? 0)) return;
      this.#newest.set(terminal, look);
      then(survivors);
    };
    terminal.survivors().then(take).catch(this.#deps.onFault);
  }
}

function describe(survivors: readonly TreeProcess[]): TerminalLeftovers {
  const processes = survivors.slice(0, maxListed).map(({ pid, command }): LeftProcess => ({
    pid,
    command: command.slice(0, maxCommandLength),
  }));
  return { count: survivors.length, processes };
}
