// How a terminal's program ended, as an exit code and in words (C36).
import { constants } from "node:os";
import { limitOutcome, limitWords, type LimitFired, type TerminalExit } from "@holdfast/ahp";
import { EXIT_CODES } from "../exit-codes.ts";

/** As in shells: 128 and the signal's number. */
const signalBase = 128;

export function exitCodeOf(exit: TerminalExit): number {
  switch (exit.kind) {
    case "code":
      return exit.exitCode;
    case "signal":
      return signalExitCode(exit.signal);
    case "unknown":
      return EXIT_CODES.notRun;
  }
}

export function signalExitCode(signal: string): number {
  const numbers: Readonly<Partial<Record<string, number>>> = constants.signals;
  return signalBase + (numbers[signal] ?? 0);
}

export function exitWords(exit: TerminalExit): string {
  switch (exit.kind) {
    case "code":
      return `exited ${exit.exitCode}${limitSuffix(exit)}`;
    case "signal":
      return `ended by ${exit.signal}${limitSuffix(exit)}`;
    case "unknown":
      return `ended ${unknownReason(exit)}; exit code unknown`;
  }
}

/** The sentence for a command that a limit stopped; undefined when none did. */
export function limitSentence(exit: TerminalExit): string | undefined {
  return exit.kind === "unknown" || exit.limit === undefined ? undefined : `${limitOutcome(exit.limit)}.`;
}

function limitSuffix({ limit }: { readonly limit?: LimitFired }): string {
  return limit === undefined ? "" : ` at its ${limitWords(limit)}`;
}

/** The sentence for a command whose exit the host did not see (C516). */
export function unknownExitSentence(exit: UnknownExit): string {
  return `The command ended ${unknownReason(exit)}; its exit code is unknown.`;
}

type UnknownExit = Extract<TerminalExit, { kind: "unknown" }>;

/** Reasons that the host gives, as parts of a sentence. */
const unknownReasons: Readonly<Record<string, string>> = {
  "The host was restarted": "when the host restarted",
  "The host was stopped": "when the host stopped",
};

function unknownReason({ reason }: UnknownExit): string {
  const sentence = reason.replace(/\.$/, "");
  return unknownReasons[sentence] ?? `(${sentence})`;
}
