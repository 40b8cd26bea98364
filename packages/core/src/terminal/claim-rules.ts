// Who may do what with a terminal, by who holds it: pure rules, judged against the state that a request meets.
import type { ClientClaim, ClientId, SessionUri, TerminalClaim, TerminalState } from "@holdfast/ahp";
import { ONLY_SHOWN } from "./display-run.ts";

/** What a client may want to do with a terminal besides claiming it. */
export type TerminalUse = "input" | "resize" | "rename" | "clear";

/** Why a use is not possible, in a sentence for people; `lack` is what the terminal or the client lacks for it. */
export interface Refusal {
  readonly lack: "life" | "screen" | "claim";
  readonly reason: string;
}

/** What becomes of a claim. */
export type ClaimRuling =
  | { readonly kind: "refused"; readonly reason: string }
  /** It says what is so already. */
  | { readonly kind: "unchanged" }
  /** A client takes a terminal from the session that holds it. */
  | { readonly kind: "taken-over"; readonly claim: ClientClaim }
  /** The holder passes it on to another client, or takes it back after it was away. */
  | { readonly kind: "passed-on"; readonly claim: ClientClaim }
  /** The holder gives it to a session. */
  | { readonly kind: "given"; readonly session: SessionUri }
  /** The session goes on holding it, and the turn that uses it does not. */
  | { readonly kind: "detached" };

const takeOverFirst =
  "A session holds this terminal. Take it over first: claim it for your own client, and give it back afterwards.";
const isHeldByAnother = "Another client holds this terminal. Only the holder may do this, or pass it on.";
const isAbandoned = "The client that holds this terminal is gone. Claim it first.";

/** Why a client may not use a terminal so; undefined when it may. */
export function refuseUse(state: TerminalState, by: ClientId, use: TerminalUse): Refusal | undefined {
  const { claim, lifecycle, run } = state;
  // What an agent shows of its own is its to clear.
  if (run === "display" && use !== "rename") return { lack: "screen", reason: ONLY_SHOWN };
  const needsProgram = use === "input" || use === "resize";
  if (needsProgram && lifecycle.status === "exited") {
    return { lack: "life", reason: "The program has ended: it takes no input, and its size stays." };
  }
  if (needsProgram && run !== "tty") {
    return {
      lack: "screen",
      reason: "The command runs without a screen: it takes no input and has no size.",
    };
  }
  if (claim.kind === "session") {
    return needsProgram ? { lack: "claim", reason: takeOverFirst } : undefined;
  }
  if (claim.clientId === by) return undefined;
  return { lack: "claim", reason: claim.goneSince === undefined ? isHeldByAnother : isAbandoned };
}

/** What becomes of a client's wish that a terminal be held by somebody. */
export function ruleOnClaim(
  state: TerminalState,
  wanted: TerminalClaim,
  by: ClientId,
  isOpen: (session: SessionUri) => boolean,
): ClaimRuling {
  if (state.run === "display") return refused(ONLY_SHOWN);
  return state.claim.kind === "client"
    ? ruleForHolder(state.claim, wanted, by, isOpen)
    : ruleForSession(state, wanted, by);
}

/** A client holds it: the holder decides, or anyone once the holder is gone. */
function ruleForHolder(
  held: ClientClaim,
  wanted: TerminalClaim,
  by: ClientId,
  isOpen: (session: SessionUri) => boolean,
): ClaimRuling {
  if (held.clientId !== by && held.goneSince === undefined) return refused(isHeldByAnother);
  if (wanted.kind === "session") {
    return isOpen(wanted.session)
      ? { kind: "given", session: wanted.session }
      : refused("There is no such session, or it is closed.");
  }
  const isSame = wanted.clientId === held.clientId && held.goneSince === undefined;
  return isSame
    ? { kind: "unchanged" }
    : { kind: "passed-on", claim: { kind: "client", clientId: wanted.clientId } };
}

/** A session holds it: anyone may detach it, or take it over for themselves where there is something to type into. */
function ruleForSession(state: TerminalState, wanted: TerminalClaim, by: ClientId): ClaimRuling {
  const { claim: held, run, lifecycle } = state;
  if (held.kind !== "session") return { kind: "unchanged" };
  if (wanted.kind === "client") {
    if (wanted.clientId !== by) return refused("A client can take over a terminal for itself only.");
    if (lifecycle.status === "exited") return refused("The program has ended: nothing is left to take over.");
    if (run !== "tty") {
      return refused("The command runs without a screen: it cannot be taken over, only detached.");
    }
    return { kind: "taken-over", claim: { kind: "client", clientId: by } };
  }
  if (wanted.session !== held.session) return refused("Another session holds this terminal.");
  if (wanted.turnId === held.turnId && wanted.toolCallId === held.toolCallId) return { kind: "unchanged" };
  return wanted.turnId === undefined && wanted.toolCallId === undefined
    ? { kind: "detached" }
    : refused("Which turn uses a terminal is the host's to say: claim it for its session alone.");
}

function refused(reason: string): ClaimRuling {
  return { kind: "refused", reason };
}
