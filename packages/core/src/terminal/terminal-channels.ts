// Channels of the host's terminals: opens them, publishes what happens to a terminal, and keeps the root's list of them.
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import {
  ROOT_URI,
  type TerminalClaim,
  type TerminalLeftovers,
  newTerminalState,
  summarizeTerminal,
} from "@holdfast/ahp";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import { boundTitle } from "../channel/title.ts";
import { claimAfterExit } from "../rules/terminal-rules.ts";
import type { HostTerminal } from "./host-terminal.ts";
import type { ShownPlan } from "./terminal-plan.ts";
import { Throttle } from "./throttle.ts";

/** The list is published as a whole, so publishing it for each of many changes would cost their square: it pauses in between. */
const listPauseMs = 25;

/** The channels of one host's terminals. `close` publishes the last list. */
export class TerminalChannels {
  readonly #hub: Hub;
  readonly #now: () => Date;
  readonly #terminals: ReadonlyMap<string, HostTerminal>;
  readonly #list = new Throttle<undefined>(listPauseMs, () => this.#publishList());

  /** `terminals` are those with a channel, oldest first; they change while the host runs. */
  constructor(hub: Hub, now: () => Date, terminals: ReadonlyMap<string, HostTerminal>) {
    this.#hub = hub;
    this.#now = now;
    this.#terminals = terminals;
  }

  open(terminal: HostTerminal, plan: ShownPlan, startedAt: string): void {
    const { uri } = terminal;
    const { kind, titleSource, claim, cwd, size } = plan;
    const title = boundTitle(plan.title);
    const folder = cwd === undefined ? undefined : folderUri(cwd);
    this.#hub.open(
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
    this.resume(terminal);
  }

  /** Continues a channel that is open: that of a terminal of an earlier host. */
  resume(terminal: HostTerminal): void {
    terminal.publisher.opened();
    this.listChanged();
  }

  /** Closes the channel of a terminal that is over. */
  remove({ uri }: HostTerminal): void {
    this.#hub.close(uri);
    this.listChanged();
  }

  /** Title and directory that an agent reports for a terminal that it shows; only changes are published. */
  describe(
    terminal: HostTerminal,
    { title, cwd }: { readonly title?: string | undefined; readonly cwd?: string | undefined },
  ): void {
    const state = this.#hub.state(terminal.uri, "terminal");
    if (title !== undefined && title !== terminal.title) {
      terminal.title = title;
      terminal.publisher.dispatch({ type: "terminal/titleChanged", title, source: "agent" });
    }
    const folder = cwd === undefined ? undefined : folderUri(cwd);
    if (folder !== undefined && folder !== state?.cwd) {
      terminal.publisher.dispatch({ type: "terminal/cwdChanged", cwd: folder });
    }
  }

  /** Empties the view; what an agent reads stays. */
  clear(terminal: HostTerminal, origin?: ActionOrigin): LogEntry | undefined {
    const offset = terminal.publisher.wholeOffset;
    const entry = terminal.publisher.dispatch({ type: "terminal/cleared", offset }, origin);
    if (entry !== undefined) terminal.clear(offset);
    return entry;
  }

  /** Publishes the holder of a terminal from now on. */
  claim({ uri }: HostTerminal, claim: TerminalClaim, origin?: ActionOrigin): LogEntry | undefined {
    const entry = this.#hub.dispatch(uri, { type: "terminal/claimed", claim }, origin);
    if (entry !== undefined) this.listChanged();
    return entry;
  }

  /** Publishes how a command ended, after its last byte. */
  publishExit(terminal: HostTerminal, exit: NonNullable<HostTerminal["exit"]>): void {
    const { publisher, uri } = terminal;
    const held = this.#hub.state(uri, "terminal")?.claim;
    const claim = held && claimAfterExit(held);
    if (claim !== undefined && claim !== held) this.claim(terminal, claim);
    const exitedAt = this.#now().toISOString();
    publisher.dispatch({ type: "terminal/exited", exitedAt, exit, endOffset: publisher.wholeOffset });
    this.listChanged();
  }

  /** Publishes what a command left running; undefined when that is nothing. */
  publishLeftovers({ uri, publisher }: HostTerminal, leftovers: TerminalLeftovers | undefined): void {
    const known = this.#hub.state(uri, "terminal")?.leftovers;
    if (isDeepStrictEqual(known, leftovers)) return;
    const changed = leftovers === undefined ? {} : { leftovers };
    publisher.dispatch({ type: "terminal/leftoversChanged", ...changed });
    this.listChanged();
  }

  /** Something that the root's list shows is another. */
  listChanged(): void {
    this.#list.set(undefined);
  }

  close(): void {
    this.#list.close();
    this.#publishList();
  }

  #publishList(): void {
    const terminals = [...this.#terminals.values()].flatMap(({ uri }) => {
      const state = this.#hub.state(uri, "terminal");
      return state === undefined ? [] : [summarizeTerminal(state)];
    });
    this.#hub.dispatch(ROOT_URI, { type: "root/terminalsChanged", terminals });
  }
}

/** A folder as a URI; undefined where an agent names none that could be found again. */
function folderUri(cwd: string): string | undefined {
  return isAbsolute(cwd) ? pathToFileURL(cwd).href : undefined;
}
