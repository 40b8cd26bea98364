// A terminal: what it runs, who holds it, how it ended. Its bytes are kept elsewhere.
import type { ChatUri, ClientId, CommandId, SessionUri, TerminalUri, ToolCallId, TurnId } from "../ids.ts";
import type { Timestamp, Uri } from "../json.ts";
import type { LimitFired } from "../limit.ts";

/** The state of a terminal's channel. */
export interface TerminalState {
  readonly resource: TerminalUri;
  readonly run: TerminalRun;
  readonly title: string;
  /** Whose title it is; the program's never replaces a person's. */
  readonly titleSource: TitleSource;
  readonly claim: TerminalClaim;
  /** The session that holds it, or that held it last: a client that took it over hands it back there. */
  readonly session?: SessionUri;
  readonly lifecycle: TerminalLifecycle;
  readonly startedAt?: Timestamp;
  readonly cwd?: Uri;
  readonly size?: TerminalSize;
  readonly output: TerminalOutput;
  readonly supportsCommandDetection: boolean;
  /** The command that a shell is running. */
  readonly openCommand?: OpenCommand;
  readonly lastCommand?: FinishedCommand;
  /** Processes that the command left running when it exited; absent while it runs, and when nothing is left. */
  readonly leftovers?: TerminalLeftovers;
}

/** Processes that outlived the command which started them; killing the terminal ends them. */
export interface TerminalLeftovers {
  readonly count: number;
  /** The first of them. */
  readonly processes: readonly LeftProcess[];
}

/** A process that outlived its command. */
export interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/** How a terminal's program is connected: merged pipes, a PTY, or not at all because the agent runs it and we only show it. */
export type TerminalRun = "text" | "tty" | "display";

/** Where a title comes from: a name that someone chose, or the program. */
export type TitleSource = "person" | "agent" | "program";

/** The holder of a terminal; there always is one. */
export type TerminalClaim = ClientClaim | SessionClaim;

/** A fact that a client confirms to know with a claim, which is rejected without it. */
export type ClaimConfirmation =
  /** With a claim for an isolated session: the terminal's processes are not isolated. */
  | "not-isolated"
  /** With a claim for the client itself: another client holds the terminal, and loses it. */
  | "held";

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

/** A terminal in the root's list. */
export interface TerminalInfo extends Pick<
  TerminalState,
  "resource" | "run" | "title" | "claim" | "session" | "lifecycle"
> {
  /** How many processes outlived its command; absent when none did. */
  readonly leftCount?: number;
}

/** Properties of a new terminal. */
export interface NewTerminal extends Pick<
  TerminalState,
  "resource" | "run" | "title" | "claim" | "startedAt" | "cwd" | "size"
> {
  /** The program unless given. */
  readonly titleSource?: TitleSource;
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
    ...(claim.kind === "session" && { session: claim.session }),
    lifecycle: { status: "running" },
    startedAt,
    cwd,
    size,
    output: { endOffset: 0, skippedBytes: 0, clearedAtOffset: 0 },
    supportsCommandDetection: false,
  };
}

/** The terminal's entry in the root's list. */
export function summarizeTerminal(terminal: TerminalState): TerminalInfo {
  const { resource, run, title, claim, session, lifecycle, leftovers } = terminal;
  return {
    resource,
    run,
    title,
    claim,
    ...(session !== undefined && { session }),
    lifecycle,
    ...(leftovers !== undefined && { leftCount: leftovers.count }),
  };
}

/** Names a piece of input. */
export interface InputKey {
  /** A random name that the client has made, at most 64 characters. */
  readonly writer: string;
  /** Grows with each piece of the writer's input. */
  readonly number: number;
}

/** Any action of a terminal's channel. */
export type TerminalAction =
  /** Output: its text, and the bytes it was made from. Only the offset is reduced. */
  | {
      readonly type: "terminal/data";
      readonly data: string;
      readonly offset: number;
      readonly endOffset: number;
    }
  /** Bytes before this offset are no longer kept. */
  | { readonly type: "terminal/trimmed"; readonly skippedBytes: number }
  /** Someone typed; a side effect alone, no state comes of it. */
  | {
      readonly type: "terminal/input";
      readonly data: string;
      /** Names the input, so that a client can send it again without its being typed twice. */
      readonly key?: InputKey;
    }
  | { readonly type: "terminal/resized"; readonly cols: number; readonly rows: number }
  | {
      readonly type: "terminal/claimed";
      readonly claim: TerminalClaim;
      readonly confirmed?: ClaimConfirmation;
    }
  | { readonly type: "terminal/titleChanged"; readonly title: string; readonly source: TitleSource }
  | { readonly type: "terminal/cwdChanged"; readonly cwd: Uri }
  /** The view starts again at this offset; no byte is lost. */
  | { readonly type: "terminal/cleared"; readonly offset: number }
  | { readonly type: "terminal/commandDetectionAvailable" }
  | {
      readonly type: "terminal/commandExecuted";
      readonly commandId: CommandId;
      readonly commandLine: string;
      readonly startedAt: Timestamp;
      readonly offset: number;
    }
  | {
      readonly type: "terminal/commandFinished";
      readonly commandId: CommandId;
      readonly exitCode?: number;
      readonly durationMs?: number;
      /** Where its output ends. */
      readonly offset?: number;
    }
  /** The program has ended; all that it wrote lies before `endOffset`. */
  | {
      readonly type: "terminal/exited";
      readonly exitedAt: Timestamp;
      readonly exit: TerminalExit;
      readonly endOffset?: number;
    }
  /** Processes that outlived the command; without them, none is left. */
  | { readonly type: "terminal/leftoversChanged"; readonly leftovers?: TerminalLeftovers };
