// The terminals of one session that its agent runs itself and only shows here, by the names that the agent gives them.
import type { SessionClaim, SessionUri } from "@holdfast/ahp";
import type { DisplayNews } from "../agent/displayed-commands.ts";
import type { AgentSide } from "./agent-side.ts";
import type { DisplayRun } from "./display-run.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { HostTerminals } from "./host-terminals.ts";

/** What they are made with. */
export interface DisplayTerminalsParts {
  readonly terminals: HostTerminals;
  readonly session: SessionUri;
  /** The claim of the turn that runs, for a tool call. */
  readonly claimNow: (toolCallId: string | undefined) => SessionClaim;
  /** Whether a name is that of a terminal which the host runs: of those, nobody tells the host anything. */
  readonly isHostRun: (terminalId: string) => boolean;
  readonly onFault: (error: unknown) => void;
}

interface Displayed {
  readonly terminal: HostTerminal;
  readonly run: DisplayRun;
  readonly terminalId: string;
  readonly toolCallId: string | undefined;
  /** Where what it shows begins: an agent may replace it as a whole. */
  startOffset: number;
  /** Whether the turn in which it was made is over. */
  isPast: boolean;
}

/** How many stay in memory; older ones are read from what is kept of them. */
const maxDisplayed = 64;
const unnamed = "Command of the agent";

/** Shows what an agent tells of its own commands. `close` ends them all. */
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

  /** A terminal by the agent's name for it. */
  find(terminalId: string): HostTerminal | undefined {
    return this.#named.get(terminalId)?.terminal;
  }

  /** Takes one thing that the agent tells; a name that is new gets a terminal, whatever is told of it first. */
  take(news: DisplayNews): void {
    if (this.#parts.isHostRun(news.terminalId)) return;
    const known = this.#named.get(news.terminalId);
    const isReused = known?.isPast === true && news.kind === "announced" && news.isNew;
    const displayed = known === undefined || isReused ? this.#open(news) : known;
    switch (news.kind) {
      case "announced":
        return this.#parts.terminals.describe(displayed.terminal, news);
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

  /** A tool call is over, and its commands with it; output of those whose end was not told may still come. */
  toolCallEnded(toolCallId: string): void {
    for (const { run, toolCallId: own } of this.#displayed) {
      if (own !== toolCallId) continue;
      if (run.hasExited) run.finish();
      else run.exit(null, null);
    }
  }

  /** A turn is over: nothing of it goes on. */
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
    // Who holds what is only shown never changes.
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
    const displayed = { ...shown, terminalId, toolCallId, startOffset: 0, isPast: false };
    this.#named.set(terminalId, displayed);
    this.#displayed.add(displayed);
    this.#closeOldest();
    return displayed;
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

  /** Shows these bytes and no others; where they only go on, what is there stays. */
  #replace(displayed: Displayed, bytes: Uint8Array): void {
    const { terminal, run } = displayed;
    const { output } = terminal;
    const keptFrom = Math.max(output.startOffset, displayed.startOffset);
    const shown = output.bytes(keptFrom, output.endOffset);
    const shownAt = keptFrom - displayed.startOffset;
    const goesOn = shown.equals(bytes.subarray(shownAt, shownAt + shown.length));
    if (!goesOn && !run.hasEnded) {
      this.#parts.terminals.clear(terminal);
      displayed.startOffset = output.endOffset;
    }
    run.append(goesOn ? bytes.subarray(shownAt + shown.length) : bytes);
  }
}
