// Rules for terminals: who may type, resize, rename, clear, claim and end, by the terminal's state and its holder.
import type {
  ClaimConfirmation,
  ClientClaim,
  ClientId,
  SessionClaim,
  SessionUri,
  TerminalClaim,
  TerminalSize,
  TerminalState,
} from "@holdfast/ahp";
import { ONLY_SHOWN } from "../terminal/display-run.ts";
import { type Rejection, reject } from "./rule.ts";

/** Uses of a terminal by a client, besides claiming it. */
export type TerminalUse = "input" | "resize" | "rename" | "clear";

/** The changes of an accepted claim. */
export type ClaimChange =
  /** The claim changes nothing. */
  | { readonly kind: "unchanged" }
  /** A client takes a terminal from the session that holds it. */
  | { readonly kind: "taken-over"; readonly claim: ClientClaim }
  /** The holder passes it on to another client, or takes it back after it was away. */
  | { readonly kind: "passed-on"; readonly claim: ClientClaim }
  /** The holder gives it to a session. */
  | { readonly kind: "given"; readonly session: SessionUri }
  /** The session keeps holding it, and the turn that uses it does not. */
  | { readonly kind: "detached"; readonly claim: SessionClaim };

const takeOverFirst =
  "A session holds this terminal. Take it over first: claim it for your own client, and give it back afterwards.";
const heldByAnother = "Another client holds this terminal. Only the holder may do this, or pass it on.";
const heldUnconfirmed =
  'Another client holds this terminal. To take it from that client, claim it for your own with confirmed: "held".';
const outside =
  'This terminal is not isolated, and the session is. Confirm that the session may have it with confirmed: "not-isolated".';
const abandoned = "The client that holds this terminal is gone. Claim it first.";

/** A session's claim without the turn and tool call that used the terminal. */
function backgroundClaim({ kind, session, chat }: SessionClaim): SessionClaim {
  return { kind, session, chat };
}

/** The claim after its program has ended: no tool call uses it from then on (U320). */
export function claimAfterExit(claim: TerminalClaim): TerminalClaim {
  const isInUse = claim.kind === "session" && (claim.turnId ?? claim.toolCallId) !== undefined;
  return isInUse ? backgroundClaim(claim) : claim;
}

/**
 * The size of a terminal that no client holds any more: the one that it was started with, since a window that is gone
 * decides nothing for those who still look at it (U781). Undefined where it has that size, or none.
 */
export function sizeAfterRelease(
  { run, lifecycle, size }: TerminalState,
  startSize: TerminalSize,
): TerminalSize | undefined {
  if (run !== "tty" || lifecycle.status === "exited") return undefined;
  return size?.cols === startSize.cols && size.rows === startSize.rows ? undefined : startSize;
}

/** The reason why a client may not use a terminal so; undefined when it may. */
export function refuseUse(state: TerminalState, by: ClientId, use: TerminalUse): Rejection | undefined {
  const { claim, lifecycle, run } = state;
  // A terminal that an agent displays is cleared by that agent alone.
  if (run === "display" && use !== "rename") return reject(ONLY_SHOWN, "TERMINAL_NOT_INTERACTIVE");
  const needsProgram = use === "input" || use === "resize";
  if (needsProgram && lifecycle.status === "exited") {
    return reject("The program has exited: it accepts no input and cannot be resized.", "TERMINAL_EXITED");
  }
  if (needsProgram && run !== "tty") {
    const reason = "The command runs without a pseudo-terminal: it accepts no input and has no size.";
    return reject(reason, "TERMINAL_NOT_INTERACTIVE");
  }
  return claim.kind === "session" && !needsProgram ? undefined : refuseUnheld(claim, by);
}

/** Why a client may not write to the pipe that is a text command's input; undefined when it may. */
export function refusePipedInput({ claim }: TerminalState, by: ClientId): Rejection | undefined {
  return refuseUnheld(claim, by);
}

export function refuseSize({ cols, rows }: TerminalSize): Rejection | undefined {
  const isSize = Number.isSafeInteger(cols) && Number.isSafeInteger(rows) && cols > 0 && rows > 0;
  return isSize ? undefined : reject("A terminal must have at least one whole column and row.");
}

/** Why a client may not end a terminal and take it off the list: what a session holds is open to all (U24). */
export function refuseDisposal(state: TerminalState, by: ClientId): Rejection | undefined {
  const { claim } = state;
  const mayEnd = claim.kind === "session" || claim.clientId === by || claim.goneSince !== undefined;
  return mayEnd ? refuseKill(state) : reject(heldByAnother, "TERMINAL_NOT_HELD");
}

/** Why nobody may end a terminal's program: an agent runs it, and the host only shows it. */
export function refuseKill({ run, lifecycle }: TerminalState): Rejection | undefined {
  const isShown = run === "display" && lifecycle.status === "running";
  return isShown ? reject(ONLY_SHOWN, "TERMINAL_NOT_INTERACTIVE") : undefined;
}

function refuseUnheld(claim: TerminalClaim, by: ClientId): Rejection | undefined {
  if (claim.kind === "session") return reject(takeOverFirst, "TERMINAL_NOT_HELD");
  if (claim.clientId === by) return undefined;
  return reject(claim.goneSince === undefined ? heldByAnother : abandoned, "TERMINAL_NOT_HELD");
}

/** Facts besides the terminal's state that a claim is checked against. */
export interface ClaimContext {
  readonly isOpen: (session: SessionUri) => boolean;
  /** Whether a client is connected, or was and may come back. */
  readonly isKnown: (client: ClientId) => boolean;
  /** Whether a session is isolated, this terminal is not, and nobody has confirmed yet that the session may have it. */
  readonly isOutside: (session: SessionUri) => boolean;
  /** The fact that the claim confirms. */
  readonly confirmed: ClaimConfirmation | undefined;
}

/** The changes of a claim, or the reason why it is rejected. */
export function ruleOnClaim(
  state: TerminalState,
  wanted: TerminalClaim,
  by: ClientId,
  context: ClaimContext,
): ClaimChange | Rejection {
  if (state.run === "display") return refused(ONLY_SHOWN);
  return state.claim.kind === "client"
    ? ruleForHolder(state.claim, wanted, by, context)
    : ruleForSession(state, wanted, by);
}

/** A client holds it: the holder decides, anyone once the holder is gone, and a client that takes it knowingly (U780). */
function ruleForHolder(
  held: ClientClaim,
  wanted: TerminalClaim,
  by: ClientId,
  { isOpen, isKnown, isOutside, confirmed }: ClaimContext,
): ClaimChange | Rejection {
  if (held.clientId !== by && held.goneSince === undefined) {
    const isForItself = wanted.kind === "client" && wanted.clientId === by;
    if (!isForItself) return refused(heldByAnother);
    if (confirmed !== "held") return refused(heldUnconfirmed);
  }
  if (wanted.kind === "session") {
    const { session } = wanted;
    if (!isOpen(session)) return refused("There is no such session, or it is closed.");
    if (isOutside(session) && confirmed !== "not-isolated") return reject(outside, "TERMINAL_NOT_ISOLATED");
    return { kind: "given", session };
  }
  // Held by a client that never was, nobody could ever take it back.
  if (wanted.clientId !== by && !isKnown(wanted.clientId)) {
    return refused("There is no such client. A terminal can be passed on to a client that is connected.");
  }
  const isSame = wanted.clientId === held.clientId && held.goneSince === undefined;
  return isSame
    ? { kind: "unchanged" }
    : { kind: "passed-on", claim: { kind: "client", clientId: wanted.clientId } };
}

/** A session holds it: anyone may detach it, or take it over for themselves where there is something to type into. */
function ruleForSession(state: TerminalState, wanted: TerminalClaim, by: ClientId): ClaimChange | Rejection {
  const { claim: held, run, lifecycle } = state;
  if (held.kind !== "session") return { kind: "unchanged" };
  if (wanted.kind === "client") {
    if (wanted.clientId !== by) return refused("A client can take over a terminal for itself only.");
    if (lifecycle.status === "exited") return refused("The program has exited: it cannot be taken over.");
    if (run !== "tty") {
      return refused("The command runs without a pseudo-terminal: it cannot be taken over, only detached.");
    }
    return { kind: "taken-over", claim: { kind: "client", clientId: by } };
  }
  if (wanted.session !== held.session) return refused("Another session holds this terminal.");
  if (wanted.turnId === held.turnId && wanted.toolCallId === held.toolCallId) return { kind: "unchanged" };
  return wanted.turnId === undefined && wanted.toolCallId === undefined
    ? { kind: "detached", claim: backgroundClaim(held) }
    : refused("The host decides which turn uses a terminal: claim it for the session without a turn.");
}

function refused(reason: string): Rejection {
  return reject(reason, "TERMINAL_NOT_HELD");
}
