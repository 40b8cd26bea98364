// Description of a terminal that is to be opened: its command, its holder, and how it is kept.
import type { SessionClaim, TerminalClaim, TerminalRun, TerminalUri, TitleSource } from "@holdfast/ahp";
import type { IsolationLevel, RunLimits, ScreenSize } from "@holdfast/terminal/port";
import type { RunScope } from "../limit/host-limits.ts";
import type { AgentSide } from "./agent-side.ts";

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
  readonly textLimitBytes: number;
  /** The command that is all it runs, to be shown as one; absent for shells, which report theirs. */
  readonly commandLine?: string | undefined;
  /** The session that it is made for. */
  readonly agent?: AgentSide | undefined;
  /** That of a shell that reports its commands. */
  readonly nonce?: string | undefined;
  /** Whether a text command gets a pipe as its input. */
  readonly hasInput?: boolean | undefined;
  /** Whether a text command has its own pipe for stderr, so that followers can separate the streams. */
  readonly separateError?: boolean | undefined;
  /** Whether the program waits for followers that ask for it. */
  readonly isPaced?: boolean | undefined;
  /** Whether it stays when its holder does not come back. */
  readonly isKept?: boolean | undefined;
  readonly limits?: RunLimits | undefined;
  /** The limits that it shares with others. Default: those of the host. */
  readonly scopes?: readonly RunScope[] | undefined;
  /** The sandbox to run in. */
  readonly sandbox?: string | undefined;
  /** The folder of a shell's integration, which its opener removes when the shell has ended. */
  readonly shellFolder?: string | undefined;
  /** Names the start: repeated, it gives the run of the first. */
  readonly startKey?: string | undefined;
}

/** The bounds of a command that an agent runs. */
export interface CommandBounds extends Pick<TerminalPlan, "limits" | "scopes"> {
  /** The name of the agent's request: the terminal and its start are named after it. */
  readonly request?: string | undefined;
  readonly isolation?: CommandIsolation | undefined;
}

/** The isolation of a command that an agent runs. */
interface CommandIsolation {
  /** The sandbox to run in; undefined where the session is not isolated. */
  readonly id: string | undefined;
  readonly level: IsolationLevel;
  /** Under `workspace`: secrets that it keeps, by name. */
  readonly keepSecrets: readonly string[];
}

/** A terminal that shows an agent's reports about a command that it runs itself. */
export interface DisplayPlan {
  readonly title: string;
  readonly claim: SessionClaim;
  readonly cwd?: string | undefined;
  readonly agent: AgentSide;
}

/** How a terminal is kept and shown, whatever writes to it. */
export type ShownPlan = Pick<
  TerminalPlan,
  "title" | "titleSource" | "claim" | "agent" | "nonce" | "commandLine"
> &
  Pick<TerminalPlan, "hasInput" | "isPaced" | "isKept" | "textLimitBytes" | "size" | "sandbox"> & {
    readonly kind: TerminalRun;
    readonly cwd?: string | undefined;
    /** The size that it was started with; absent where it is `size`. */
    readonly startSize?: ScreenSize | undefined;
    /** The editor that runs it; absent where the host or the agent does. */
    readonly editor?: string | undefined;
  };
