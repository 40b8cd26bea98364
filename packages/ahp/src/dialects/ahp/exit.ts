// How the end of a program is told in a dialect that only has numbers for it.
import type { TerminalExit } from "../../model/terminal/terminal.ts";

/** The numbers of signals as Linux has them; macOS shares all that end programs in practice. */
const signalNumbers: { readonly [name: string]: number } = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGSTKFLT: 16,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPWR: 30,
  SIGSYS: 31,
};

/** What shells add to the number of the signal that ended a command. */
const SIGNAL_BASE = 128;
/** Says that a program is over though nobody saw how. */
const UNSEEN_EXIT = -1;

/** The exit code, if the program gave one. */
export function exitCodeOf(exit: TerminalExit): number | undefined {
  return exit.kind === "code" ? exit.exitCode : undefined;
}

/** A number in any case, where a missing one would mean that the program still runs (E7). */
export function exitNumberOf(exit: TerminalExit): number {
  if (exit.kind === "code") return exit.exitCode;
  if (exit.kind === "unknown") return UNSEEN_EXIT;
  return SIGNAL_BASE + (signalNumbers[exit.signal] ?? 0);
}
