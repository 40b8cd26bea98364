// Labels for a terminal's holder and for how its program ended.
import {
  type ClientId,
  limitOutcome,
  type TerminalClaim,
  type TerminalExit,
  type TerminalLeftovers,
  type TerminalLifecycle,
  type TerminalState,
} from "@holdfast/ahp";
import { spanWords } from "../frame/time-words.ts";

/** The holder of a terminal, from this page's point of view. */
export type Holder = "you" | "another" | "gone" | "agent" | "background";

export function holderOf(claim: TerminalClaim, own: ClientId): Holder {
  if (claim.kind === "session") return claim.turnId === undefined ? "background" : "agent";
  if (claim.clientId === own) return "you";
  return claim.goneSince === undefined ? "another" : "gone";
}

export const holderWords: Readonly<Record<Holder, string>> = {
  you: "held by you",
  another: "in use in another window",
  gone: "nobody is using it",
  agent: "held by the agent",
  background: "in the background",
};

export function lifecycleWords(lifecycle: TerminalLifecycle): string {
  return lifecycle.status === "running" ? "running" : exitWords(lifecycle.exit);
}

/** How many processes a command left running. */
export function leftoverWords({ count }: TerminalLeftovers): string {
  return count === 1 ? "1 process left" : `${count} processes left`;
}

export function exitWords(exit: TerminalExit): string {
  switch (exit.kind) {
    case "code":
      return withLimit(exit, `exit ${exit.exitCode}`);
    case "signal":
      return withLimit(exit, `ended by ${exit.signal}`);
    case "unknown":
      return exit.reason;
  }
}

/** How long a program ran; undefined while it does, and where nobody saw its end. */
export function runTimeWords({ startedAt, lifecycle }: TerminalState): string | undefined {
  if (lifecycle.status === "running" || lifecycle.exit.kind === "unknown") return undefined;
  return spanWords(startedAt, lifecycle.exitedAt);
}

export function hasEndedWell(exit: TerminalExit): boolean {
  return exit.kind === "code" && exit.exitCode === 0;
}

/** A limit that stopped a program says more than the signal that it used. */
function withLimit({ limit }: Extract<TerminalExit, { kind: "code" | "signal" }>, words: string): string {
  if (limit === undefined) return words;
  return limit.name === "processes" ? `${words} · ${limitOutcome(limit)}` : limitOutcome(limit);
}
