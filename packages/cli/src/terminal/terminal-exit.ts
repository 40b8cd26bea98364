// How a terminal's program ended, as an exit code and in words (C36).
import { constants } from "node:os";
import type { TerminalExit } from "@holdfast/ahp";
import { EXIT_CODES } from "../exit-codes.ts";

/** Signals are told as shells tell them: 128 and the signal's number. */
const signalBase = 128;

/** The exit code that tells of the end of a program. */
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

/** The exit code that stands for a signal. */
export function signalExitCode(signal: string): number {
  const numbers: Readonly<Partial<Record<string, number>>> = constants.signals;
  return signalBase + (numbers[signal] ?? 0);
}

/** How a program ended, in words for people. */
export function exitWords(exit: TerminalExit): string {
  switch (exit.kind) {
    case "code":
      return `exited ${exit.exitCode}`;
    case "signal":
      return `ended by ${exit.signal}`;
    case "unknown":
      return `ended, and nobody saw how: ${exit.reason}`;
  }
}
