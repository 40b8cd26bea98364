// A terminal as AHP writes it: its content, claim and exit, the actions for each change, and those of clients.
import type { ChatUri, ClientId, CommandId, SessionUri, ToolCallId, TurnId } from "../../model/ids.ts";
import type { Timestamp } from "../../model/json.ts";
import { id, number, object, oneOf, optional, text, type Shape } from "../../model/shape.ts";
import type {
  ClaimConfirmation,
  TerminalAction,
  TerminalClaim,
  TerminalExit,
  TerminalRun,
} from "../../model/terminal/terminal.ts";
import { confirmationShape } from "../../model/terminal/terminal-shape.ts";
import { defaultChatUri } from "../../model/uri.ts";
import type { StepOf } from "../dialect.ts";
import { fileUri } from "./uri.ts";
import { SILENCE, reader, type ActionReader, type WireAction, type WireStep } from "./wire-action.ts";

export interface TerminalStyle {
  /** Whether a terminal says that it has no PTY. Where it cannot, all content is VT, and a line ends with CR LF. */
  readonly hasIsPty: boolean;
  /** Whether the claim of a session names the chat. */
  readonly hasChatInClaim: boolean;
  /** Whether an exited terminal says so by its lifecycle (since 0.9) or only by having an exit code. */
  readonly exit: "lifecycle" | "exitCode";
  /** The number for the way a program ended, where there is one. */
  readonly exitCode: (exit: TerminalExit) => number | undefined;
}

/**
 * Output outside of commands, or a command with its output, oldest first.
 * The texts are made from whole characters: bytes of half a character wait until the rest is there.
 */
export type TerminalPart =
  | { readonly kind: "output"; readonly text: string }
  | {
      readonly kind: "command";
      readonly commandId: CommandId;
      readonly commandLine: string;
      readonly text: string;
      readonly startedAt: Timestamp;
      /** Set once the command is over; without a code it was cut off. */
      readonly end?: { readonly exitCode?: number; readonly durationMs?: number };
    };

/**
 * Text of a terminal as a viewer of this style renders it. A VT moves straight down at a bare LF, so the text of a run
 * without a PTY, which nothing has translated, gets its CRs where the style cannot say that it is plain (E322).
 * A line end is whole in one text: the maker of the texts does not cut between CR and LF.
 */
function showTerminalText(plain: string, run: TerminalRun, { hasIsPty }: TerminalStyle): string {
  if (hasIsPty || run === "tty") return plain;
  return plain.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n");
}

/** A piece as AHP writes it, the same in every version. */
export type WireTerminalPart =
  | { readonly type: "unclassified"; readonly value: string }
  | {
      readonly type: "command";
      readonly commandId: string;
      readonly commandLine: string;
      readonly output: string;
      readonly timestamp: number;
      readonly isComplete: boolean;
      readonly exitCode?: number;
      readonly durationMs?: number;
    };

export function showTerminalParts(
  parts: readonly TerminalPart[],
  run: TerminalRun,
  style: TerminalStyle,
): readonly WireTerminalPart[] {
  return parts.map((part) => {
    const shown = showTerminalText(part.text, run, style);
    if (part.kind === "output") return { type: "unclassified", value: shown };
    const { commandId, commandLine, startedAt, end } = part;
    return {
      type: "command",
      commandId,
      commandLine,
      output: shown,
      timestamp: Date.parse(startedAt),
      isComplete: end !== undefined,
      ...end,
    };
  });
}

/** The actions for one step. The output is already cut at whole characters and line ends. */
export function stepTerminal({ action, before }: StepOf<"terminal">, style: TerminalStyle): WireStep {
  const { type } = action;
  switch (type) {
    case "terminal/data":
      return { main: { type, data: showTerminalText(action.data, before.run, style) } };
    case "terminal/input":
      return { main: { type, data: action.data } };
    case "terminal/resized":
      return { main: { type, cols: action.cols, rows: action.rows } };
    case "terminal/claimed":
      return { main: { type, claim: showClaim(action.claim, style) } };
    case "terminal/titleChanged":
      return { main: { type, title: action.title } };
    case "terminal/cwdChanged":
      return { main: { type, cwd: fileUri(action.cwd) } };
    case "terminal/cleared":
    case "terminal/commandDetectionAvailable":
      return { main: { type } };
    case "terminal/commandExecuted": {
      const { commandId, commandLine, startedAt } = action;
      const main = { type, commandId, commandLine, timestamp: Date.parse(startedAt) };
      return { lead: closeCommand(before.openCommand), main };
    }
    case "terminal/commandFinished": {
      const { commandId, exitCode, durationMs } = action;
      return { main: { type, commandId, exitCode, durationMs } };
    }
    case "terminal/exited":
      return {
        lead: closeCommand(before.openCommand),
        main: { type, exitCode: style.exitCode(action.exit) },
      };
    // The host forgets old output silently, and AHP has no word for left processes.
    case "terminal/trimmed":
    case "terminal/leftoversChanged":
      return SILENCE;
  }
}

export function showClaim(claim: TerminalClaim, { hasChatInClaim }: TerminalStyle): object {
  if (claim.kind === "client") return { kind: claim.kind, clientId: claim.clientId };
  const { kind, session, chat, turnId, toolCallId } = claim;
  return { kind, session, ...(hasChatInClaim && { chat }), turnId, toolCallId };
}

/** A command that is cut off, by the next one or by the end, is over in the model without a word (E7). */
function closeCommand(open: { readonly commandId: string } | undefined): readonly WireAction[] {
  return open ? [{ type: "terminal/commandFinished", commandId: open.commandId }] : [];
}

/** Signals in the order of their numbers from 1 on, as Linux has them; macOS shares all that end programs in practice. */
const signals =
  "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
    .split(" ")
    .map((name) => `SIG${name}`);

/** The number that shells add to the signal that ended a command. */
const SIGNAL_BASE = 128;
/** Says that a program is over though nobody saw how. */
const UNSEEN_EXIT = -1;

export function exitCodeOf(exit: TerminalExit): number | undefined {
  return exit.kind === "code" ? exit.exitCode : undefined;
}

/** A number in any case, where a missing one would mean that the program still runs (E7). */
export function exitNumberOf(exit: TerminalExit): number {
  if (exit.kind === "code") return exit.exitCode;
  if (exit.kind === "unknown") return UNSEEN_EXIT;
  return SIGNAL_BASE + signals.indexOf(exit.signal) + 1;
}

/** A claim as a client writes it; before 0.9 it names no chat. */
export interface WrittenClaim {
  readonly kind: "client" | "session";
  readonly clientId?: ClientId;
  readonly session?: SessionUri;
  readonly chat?: ChatUri;
  readonly turnId?: TurnId;
  readonly toolCallId?: ToolCallId;
}

export const writtenClaimShape: Shape<WrittenClaim> = object<WrittenClaim>({
  kind: oneOf("client", "session"),
  clientId: optional(id("client")),
  session: optional(id("session URI")),
  chat: optional(id("chat URI")),
  turnId: optional(id("turn")),
  toolCallId: optional(id("tool call")),
});

/** A claim in the model's terms; a session that names no chat means its default one (E6). */
export function readClaim({
  kind,
  clientId,
  session,
  chat,
  turnId,
  toolCallId,
}: WrittenClaim): TerminalClaim | string {
  if (kind === "client") {
    return clientId === undefined ? "The claim names no client." : { kind, clientId };
  }
  if (session === undefined) return "The claim names no session.";
  return {
    kind,
    session,
    chat: chat ?? defaultChatUri(session),
    ...(turnId !== undefined && { turnId }),
    ...(toolCallId !== undefined && { toolCallId }),
  };
}

interface ClaimExtras {
  readonly confirmed?: ClaimConfirmation;
}

interface ClaimMeta {
  readonly holdfast?: ClaimExtras;
}

const claimExtrasShape = object<ClaimExtras>({ confirmed: optional(confirmationShape) });

/** A claim as an action; the confirmation has no slot in AHP. */
const claimActionShape = object<{ readonly claim: WrittenClaim; readonly _meta?: ClaimMeta }>({
  claim: writtenClaimShape,
  _meta: optional(object<ClaimMeta>({ holdfast: optional(claimExtrasShape) })),
});

export const terminalActionReaders: { readonly [type: string]: ActionReader<unknown, TerminalAction> } = {
  "terminal/input": reader(object({ data: text }), ({ data }) => ({ type: "terminal/input", data })),
  "terminal/resized": reader(object({ cols: number, rows: number }), ({ cols, rows }) => ({
    type: "terminal/resized",
    cols,
    rows,
  })),
  "terminal/claimed": reader(claimActionShape, ({ claim: written, _meta }) => {
    const claim = readClaim(written);
    if (typeof claim === "string") return claim;
    const confirmed = _meta?.holdfast?.confirmed;
    return { type: "terminal/claimed", claim, ...(confirmed !== undefined && { confirmed }) };
  }),
  "terminal/titleChanged": reader(object({ title: text }), ({ title }) => ({
    type: "terminal/titleChanged",
    title,
    source: "person",
  })),
  "terminal/cleared": reader(object({}), () => ({ type: "terminal/cleared", offset: 0 })),
};
