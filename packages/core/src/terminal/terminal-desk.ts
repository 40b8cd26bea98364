// The desk of a host's terminals: what a transport for people asks of them. Types only; host-terminal-desk.ts serves it.
import type {
  Action,
  ClientId,
  TerminalClaim,
  TerminalSize,
  TerminalState,
  TerminalUri,
} from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import type { EntryFeed } from "../channel/entry-feed.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";

/** Who watches a terminal. */
export interface TerminalViewer {
  /** Called when the cursor has something new to read. */
  readonly onReadable?: (() => void) | undefined;
  /** The client that it is; while the holder's viewer is open, it answers what programs ask of their terminal. */
  readonly clientId?: ClientId | undefined;
  /** How long output may be held back to be joined; never more than 8 ms. */
  readonly maxLatencyMs?: number | undefined;
}

/** A terminal at one moment. */
export interface TerminalSnapshot {
  readonly uri: TerminalUri;
  /** Its state, with the offsets of the content. */
  readonly state: TerminalState;
  /** What it shows, in whole characters, up to exactly `state.output.endOffset`. */
  readonly content: readonly TerminalPart[];
  /** Every later action has a number above this one, and the first `terminal/data` goes on where the content ends. */
  readonly seq: number;
}

/** A terminal at one moment, and a cursor that goes on exactly there. Whoever asked for it closes the cursor. */
export interface TerminalSubscription {
  readonly snapshot: TerminalSnapshot;
  readonly cursor: EntryFeed;
}

/** A terminal for a person. */
export interface NewPersonTerminal {
  /** Chosen by the client; absent: the host makes one. */
  readonly uri?: TerminalUri | undefined;
  /** The client that asks. */
  readonly clientId: ClientId;
  /** A title that the program's own never replaces. */
  readonly name?: string | undefined;
  /** An absolute path or a `file:` URI. Default: the home folder. */
  readonly cwd?: string | undefined;
  readonly size?: Partial<TerminalSize> | undefined;
  /** Who holds it. Default: the client that asks. */
  readonly claim?: TerminalClaim | undefined;
  /** Default: the user's login shell. */
  readonly shell?: { readonly command: string; readonly args?: readonly string[] } | undefined;
}

/** A command that the owner runs in a terminal of its own. */
export interface NewCommand {
  /** A program; without arguments it may be a line for the shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** An absolute path or a `file:` URI. Default: the home folder. */
  readonly cwd?: string | undefined;
  /** Variables beside those of the login shell. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly kind: "tty" | "text";
  readonly size?: Partial<TerminalSize> | undefined;
  /** A title that the program's own never replaces. */
  readonly name?: string | undefined;
  /** Whether a text command gets a pipe as its input. */
  readonly hasInput?: boolean | undefined;
  /** Whether a text command waits for followers that ask for it. */
  readonly isPaced?: boolean | undefined;
}

/** What became of an action that a client dispatched. */
export type Submission =
  /** `entry` is its place in the log, where every reader finds it; without one, only its sender is answered. */
  | { readonly outcome: "accepted"; readonly entry?: LogEntry }
  /** For its author alone. */
  | { readonly outcome: "rejected"; readonly reason: string }
  /** To be passed over in silence. */
  | { readonly outcome: "unknown-channel" };

/**
 * Everything that people do with terminals.
 *
 * All but `load`, `create` and `dispose` is synchronous, so what a call finds is what it acts on. Whoever answers a
 * client awaits `load` of every terminal it names first, and then does the rest in one step.
 */
export interface TerminalDesk {
  /**
   * Makes a terminal ready to be subscribed to; false when there is no such terminal. One that has ended, maybe under
   * an earlier host, is brought into memory, and leaves it again when nobody reads it. Of one that shows its other
   * screen, the screen is drawn for who joins late.
   */
  load(uri: string): Promise<boolean>;

  /**
   * Fixes state, content, number and place in the log in one step; undefined when there is no such terminal in memory.
   * It is also for a reader whose cursor says `gap`: it closes that cursor, subscribes anew, and tells its viewer
   * `terminal/cleared` and the content, each with a number from `hub.takeSeq()`.
   */
  subscribe(uri: string, viewer?: TerminalViewer): TerminalSubscription | undefined;

  /**
   * A cursor after the last action that a viewer has seen; undefined when something after it is not in the log, which
   * is so as well when output came while nobody read: then it subscribes anew.
   */
  resume(uri: string, afterSeq: number, viewer?: TerminalViewer): EntryFeed | undefined;

  /** Starts a shell; rejects with a `HostError` (`TERMINAL_EXISTS`, `INVALID_REQUEST`), and then leaves nothing. */
  create(request: NewPersonTerminal): Promise<TerminalUri>;

  /**
   * Ends a terminal and takes it off the list, whoever holds it; rejects with `TERMINAL_NOT_FOUND`, or with
   * `TERMINAL_NOT_INTERACTIVE` while an agent runs the command itself.
   */
  dispose(uri: string): Promise<void>;

  /**
   * Judges an action of a client against the state it meets and carries it out: `terminal/input`, `resized`,
   * `claimed`, `titleChanged`, `cleared`. Any other is rejected. Call it once for each (clientId, clientSeq).
   */
  submit(uri: string, action: Action, origin: ActionOrigin): Submission;

  /** A client is no longer connected: what it holds says so, anyone may claim it, and after a time it is ended. */
  clientGone(clientId: ClientId): void;

  /** A client is connected: what it holds is fully its own again. */
  clientBack(clientId: ClientId): void;
}
