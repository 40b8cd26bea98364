// How a terminal's program ended, as an exit code and in words (C36).
import { constants } from "node:os";
import type { TerminalExit } from "@holdfast/ahp";
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
      return `exited ${exit.exitCode}`;
    case "signal":
      return `ended by ${exit.signal}`;
    case "unknown":
      return `ended, and nobody saw how: ${exit.reason}`;
  }
}
