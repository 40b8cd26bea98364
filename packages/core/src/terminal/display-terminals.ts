// The terminals of one session that its agent runs itself and only shows here, by the names that the agent gives them.
import type { SessionClaim, SessionUri, TerminalUri } from "@holdfast/ahp";
import type { DisplayNews } from "../agent/displayed-commands.ts";
import type { AgentSide } from "./agent-side.ts";
import type { DisplayRun, SavedDisplayRun } from "./display-run.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";

/** Dependencies of the display terminals. */
export interface DisplayTerminalsParts {
  readonly terminals: HostTerminals;
  readonly session: SessionUri;
  /** The claim of the turn that runs, for a tool call. */
  readonly claimNow: (toolCallId: string | undefined) => SessionClaim;
  /** Whether a name is that of a terminal which the host runs: reports about those are ignored. */
  readonly isHostRun: (terminalId: string) => boolean;
  /** Called once for each command, as soon as its title is known. */
  readonly onShown: (shown: ShownCommand) => void;
  readonly onFault: (error: unknown) => void;
}

/** A command that an agent runs itself. */
export interface ShownCommand {
  readonly title: string;
  readonly cwd: string | undefined;
  readonly terminal: HostTerminal;
}

/** A displayed command as the next host gets to know it. */
export interface SavedDisplay {
  readonly uri: TerminalUri;
  readonly terminalId: string;
  readonly toolCallId?: string | undefined;
  readonly isPast: boolean;
  readonly isReported: boolean;
  readonly run: SavedDisplayRun;
  readonly shownFrom: number;
}

interface Displayed {
  readonly terminal: HostTerminal;
  readonly run: DisplayRun;
  readonly terminalId: string;
  readonly toolCallId: string | undefined;
  /** Whether the turn in which it was made is over. */
  isPast: boolean;
  /** Whether `onShown` has been called. */
  isReported: boolean;
}

/** How many stay in memory; older ones are read from what is kept of them. */
const maxDisplayed = 64;
const unnamed = "Command from the agent";

/** Shows an agent's reports about its own commands. `close` ends them all. */
export class DisplayTerminals implements AgentSide {
  readonly session: SessionUri;
  readonly #parts: DisplayTerminalsParts;
  /** Oldest first. */
  readonly #displayed = new Set<Displayed>();
  readonly #named = new Map<string, Displayed>();

  constructor(parts: DisplayTerminalsParts) {
    this.#parts = parts;
    this.session = parts.session;
  }

  get saved(): readonly SavedDisplay[] {
    return [...this.#displayed].map(({ terminal, run, terminalId, toolCallId, isPast, isReported }) => ({
      uri: terminal.uri,
      terminalId,
      toolCallId,
      isPast,
      isReported,
      run: run.saved,
      shownFrom: terminal.shownFrom,
    }));
  }

  /** Shows the commands of an earlier host again, with the output that was kept. */
  async restore(saved: readonly SavedDisplay[]): Promise<void> {
    for (const { uri, run: savedRun, shownFrom, ...names } of saved) {
      const shown = await this.#parts.terminals.earlier.showAgain(uri, savedRun, this);
      if (shown === undefined) continue;
      shown.terminal.shownFrom = shownFrom;
      const displayed = { ...shown, toolCallId: undefined, ...names };
      this.#named.set(names.terminalId, displayed);
      this.#displayed.add(displayed);
    }
  }

  /** A terminal by the agent's name for it. */
  find(terminalId: string): HostTerminal | undefined {
    return this.#named.get(terminalId)?.terminal;
  }

  /** Takes one report of the agent; a name that is new gets a terminal, whatever the report is. */
  take(news: DisplayNews): void {
    if (this.#parts.isHostRun(news.terminalId)) return;
    const known = this.#named.get(news.terminalId);
    const isReused = known?.isPast === true && news.kind === "announced" && news.isNew;
    const displayed = known === undefined || isReused ? this.#open(news) : known;
    switch (news.kind) {
      case "announced":
        this.#parts.terminals.channels.describe(displayed.terminal, news);
        return this.#report(displayed, news);
      case "text":
        return displayed.run.appendText(news.text);
      case "bytes":
        return displayed.run.append(news.bytes);
      case "snapshot":
        return this.#replace(displayed, news.bytes);
      case "exited":
        return displayed.run.exit(news.exitCode, news.signal);
    }
  }

  /** The title of a tool call is the title of its only terminal, also when it comes late. */
  retitle(toolCallId: string, title: string): void {
    const own = [...this.#displayed].filter((each) => each.toolCallId === toolCallId && !each.isPast);
    const [only] = own;
    if (only === undefined || own.length !== 1) return;
    this.#parts.terminals.channels.describe(only.terminal, { title });
    this.#report(only, { title });
  }

  /** The output of a tool call, where the agent reported no output of its only terminal. */
  fill(toolCallId: string, text: string): void {
    const own = [...this.#displayed].filter((each) => each.toolCallId === toolCallId && !each.isPast);
    const [only] = own;
    if (only !== undefined && own.length === 1 && only.terminal.output.endOffset === 0) {
      only.run.appendText(text);
    }
  }

  /** A tool call is over: its commands that have exited take nothing more; of others, output and exit may still come. */
  toolCallEnded(toolCallId: string): void {
    for (const { run, toolCallId: own } of this.#displayed) {
      if (own === toolCallId && run.hasExited) run.finish();
    }
  }

  /** A turn is over: none of its commands runs any more. */
  turnEnded(): void {
    for (const displayed of this.#displayed) {
      displayed.run.finish();
      displayed.isPast = true;
    }
  }

  async close(): Promise<void> {
    const all = [...this.#displayed];
    this.#displayed.clear();
    this.#named.clear();
    await Promise.all(all.map(({ terminal }) => terminal.close()));
  }

  claimOf(): SessionClaim {
    return this.#parts.claimNow(undefined);
  }

  moved(): void {
    // The holder of a displayed terminal never changes.
  }

  forget(terminal: HostTerminal): void {
    const displayed = [...this.#displayed].find((one) => one.terminal === terminal);
    if (displayed !== undefined) this.#drop(displayed);
  }

  #open(news: DisplayNews): Displayed {
    const { terminals, claimNow } = this.#parts;
    const { terminalId, toolCallId } = news;
    const { title = unnamed, cwd } = news.kind === "announced" ? news : {};
    const claim = claimNow(toolCallId);
    const shown = terminals.show({ title, claim, cwd, agent: this });
    const displayed = { ...shown, terminalId, toolCallId, isPast: false, isReported: false };
    // One that never gets a title is reported when it ends.
    void displayed.terminal.exited.then(() => this.#report(displayed, { title, cwd }));
    this.#named.set(terminalId, displayed);
    this.#displayed.add(displayed);
    this.#closeOldest();
    return displayed;
  }

  #report(
    displayed: Displayed,
    { title, cwd }: { readonly title?: string | undefined; readonly cwd?: string | undefined },
  ): void {
    if (title === undefined || displayed.isReported) return;
    displayed.isReported = true;
    this.#parts.onShown({ title, cwd, terminal: displayed.terminal });
  }

  #closeOldest(): void {
    const [oldest] = this.#displayed;
    if (this.#displayed.size <= maxDisplayed || oldest === undefined) return;
    this.#drop(oldest);
    oldest.terminal.close().catch(this.#parts.onFault);
  }

  #drop(displayed: Displayed): void {
    this.#displayed.delete(displayed);
    // A later turn may have given the name to another.
    if (this.#named.get(displayed.terminalId) === displayed) this.#named.delete(displayed.terminalId);
  }

  /** Shows these bytes and no others; where they only continue, what is there stays. */
  #replace(displayed: Displayed, bytes: Uint8Array): void {
    const { terminal, run } = displayed;
    const { output } = terminal;
    const keptFrom = Math.max(output.startOffset, terminal.shownFrom);
    const shown = output.bytes(keptFrom, output.endOffset);
    const shownAt = keptFrom - terminal.shownFrom;
    const goesOn = shown.equals(bytes.subarray(shownAt, shownAt + shown.length));
    if (!goesOn && !run.hasEnded) {
      this.#parts.terminals.channels.clear(terminal);
      terminal.shownFrom = output.endOffset;
    }
    run.append(goesOn ? bytes.subarray(shownAt + shown.length) : bytes);
  }
}
