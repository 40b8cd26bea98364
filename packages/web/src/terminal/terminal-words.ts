// Who holds a terminal and how its program ended, in words for people.
import type { ClientId, TerminalClaim, TerminalExit, TerminalLifecycle, TerminalState } from "@holdfast/ahp";
import { spanWords } from "../frame/time-words.ts";

/** Who holds a terminal, from where this page stands. */
export type Holder = "you" | "another" | "gone" | "agent" | "background";

/** Finds out who holds a terminal. */
export function holderOf(claim: TerminalClaim, own: ClientId): Holder {
  if (claim.kind === "session") return claim.turnId === undefined ? "background" : "agent";
  if (claim.clientId === own) return "you";
  return claim.goneSince === undefined ? "another" : "gone";
}

/** What is said of each holder. */
export const holderWords: Readonly<Record<Holder, string>> = {
  you: "held by you",
  another: "held by someone else",
  gone: "its holder is gone",
  agent: "held by the agent",
  background: "in the background",
};

/** Whether a program runs, and how it ended. */
export function lifecycleWords(lifecycle: TerminalLifecycle): string {
  return lifecycle.status === "running" ? "running" : exitWords(lifecycle.exit);
}

/** How a program ended. */
export function exitWords(exit: TerminalExit): string {
  switch (exit.kind) {
    case "code":
      return exit.exitCode === 0 ? "exit 0" : `exit ${exit.exitCode}${limitWords(exit)}`;
    case "signal":
      return `ended by ${exit.signal}${limitWords(exit)}`;
    case "unknown":
      return exit.reason;
  }
}

/** How long a program ran; undefined while it does, and where nobody saw its end. */
export function runTimeWords({ startedAt, lifecycle }: TerminalState): string | undefined {
  if (lifecycle.status === "running" || lifecycle.exit.kind === "unknown") return undefined;
  return spanWords(startedAt, lifecycle.exitedAt);
}

/** Whether a program ended as it should. */
export function hasEndedWell(exit: TerminalExit): boolean {
  return exit.kind === "code" && exit.exitCode === 0;
}

function limitWords({ limit }: Extract<TerminalExit, { kind: "code" | "signal" }>): string {
  return limit === undefined ? "" : ` at the limit of ${limit.name}`;
}
