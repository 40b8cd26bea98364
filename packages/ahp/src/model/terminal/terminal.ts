// A terminal: what it runs, who holds it, how it ended. Its bytes are not here: they live in the ring.
import type { LimitFired } from "../failure.ts";
import type { ChatUri, ClientId, CommandId, SessionUri, TerminalUri, ToolCallId, TurnId } from "../ids.ts";
import type { Timestamp, Uri } from "../json.ts";

/** The state of a terminal's channel. */
export interface TerminalState {
  readonly resource: TerminalUri;
  readonly run: TerminalRun;
  readonly title: string;
  /** Whose title it is; the program's never replaces a person's. */
  readonly titleSource: TitleSource;
  readonly claim: TerminalClaim;
  readonly lifecycle: TerminalLifecycle;
  readonly startedAt?: Timestamp;
  readonly cwd?: Uri;
  readonly size?: TerminalSize;
  readonly output: TerminalOutput;
  readonly supportsCommandDetection: boolean;
  /** The command that a shell is running. */
  readonly openCommand?: OpenCommand;
  readonly lastCommand?: FinishedCommand;
}

/** How a terminal's program is connected: merged pipes, a PTY, or not at all because the agent runs it and we only show it. */
export type TerminalRun = "text" | "tty" | "display";

/** Where a title comes from: a name that someone chose, or the program. */
export type TitleSource = "person" | "program";

/** Who holds a terminal; there is always someone. */
export type TerminalClaim = ClientClaim | SessionClaim;

/** A claim of a client; `goneSince` is set while it is not connected. */
export interface ClientClaim {
  readonly kind: "client";
  readonly clientId: ClientId;
  readonly goneSince?: Timestamp;
}

/** A claim of a session; without a turn the terminal is background work. */
export interface SessionClaim {
  readonly kind: "session";
  readonly session: SessionUri;
  readonly chat: ChatUri;
  readonly turnId?: TurnId;
  readonly toolCallId?: ToolCallId;
}

/** Whether a terminal's program runs. */
export type TerminalLifecycle =
  | { readonly status: "running" }
  | { readonly status: "exited"; readonly exitedAt: Timestamp; readonly exit: TerminalExit };

/** How a program ended. */
export type TerminalExit =
  | { readonly kind: "code"; readonly exitCode: number; readonly limit?: LimitFired }
  | { readonly kind: "signal"; readonly signal: string; readonly limit?: LimitFired }
  /** Nobody saw how, such as after a restart of the host. */
  | { readonly kind: "unknown"; readonly reason: string };

/** The size of a terminal's screen in characters. */
export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** Where the output stands, in bytes from the first one. */
export interface TerminalOutput {
  /** The number of bytes written so far. */
  readonly endOffset: number;
  /** The number of bytes at the front that are no longer kept. */
  readonly skippedBytes: number;
  /** Where the view starts after someone cleared it. */
  readonly clearedAtOffset: number;
}

/** A command that a shell started. */
export interface OpenCommand {
  readonly commandId: CommandId;
  readonly commandLine: string;
  readonly startedAt: Timestamp;
  readonly offset: number;
}

/** A command that a shell finished; without a code it was cut off. */
export interface FinishedCommand {
  readonly commandId: CommandId;
  readonly commandLine: string;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

/** What the root's list says of a terminal. */
export interface TerminalInfo {
  readonly resource: TerminalUri;
  readonly run: TerminalRun;
  readonly title: string;
  readonly claim: TerminalClaim;
  readonly lifecycle: TerminalLifecycle;
}

/** What a new terminal is made from. */
export interface NewTerminal {
  readonly resource: TerminalUri;
  readonly run: TerminalRun;
  readonly title: string;
  readonly titleSource?: TitleSource;
  readonly claim: TerminalClaim;
  readonly startedAt?: Timestamp;
  readonly cwd?: Uri;
  readonly size?: TerminalSize;
}

/** The state of a terminal whose program has just been started. */
export function newTerminalState({
  resource,
  run,
  title,
  titleSource = "program",
  claim,
  startedAt,
  cwd,
  size,
}: NewTerminal): TerminalState {
  return {
    resource,
    run,
    title,
    titleSource,
    claim,
    lifecycle: { status: "running" },
    startedAt,
    cwd,
    size,
    output: { endOffset: 0, skippedBytes: 0, clearedAtOffset: 0 },
    supportsCommandDetection: false,
  };
}

/** What the root's list says of a terminal. */
export function summarizeTerminal({ resource, run, title, claim, lifecycle }: TerminalState): TerminalInfo {
  return { resource, run, title, claim, lifecycle };
}
