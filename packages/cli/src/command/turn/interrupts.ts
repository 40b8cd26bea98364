// What Ctrl-C does while a turn runs: once cancels it, twice leaves it; and what other signals do (C27).
import process from "node:process";
import { EXIT_CODES } from "../../exit-codes.ts";

/** What is done on a signal. */
export interface InterruptActions {
  /** The first Ctrl-C. */
  readonly cancel: () => void;
  /** Whoever followed the turn wants to be gone, with this exit code. */
  readonly leave: (exitCode: number) => void;
  /** Whether also the signals that end a program are for us; without it they just end it, and the turn goes on. */
  readonly catchesAll: boolean;
}

/** As a shell tells of a program that a signal ended. */
const exitCodes = { SIGTERM: 143, SIGHUP: 129 } as const;

/** Listens for signals until it is closed. */
export class Interrupts {
  readonly #actions: InterruptActions;
  readonly #listeners: readonly (readonly [NodeJS.Signals, () => void])[];
  #presses = 0;

  constructor(actions: InterruptActions) {
    this.#actions = actions;
    const ends = Object.entries(exitCodes).map(
      ([signal, exitCode]) => [signal as NodeJS.Signals, () => actions.leave(exitCode)] as const,
    );
    this.#listeners = [["SIGINT", () => this.press()], ...(actions.catchesAll ? ends : [])];
    for (const [signal, listener] of this.#listeners) process.on(signal, listener);
  }

  /** Ctrl-C, by the signal or by the key. */
  press(): void {
    this.#presses += 1;
    if (this.#presses === 1) this.#actions.cancel();
    else this.#actions.leave(EXIT_CODES.cancelled);
  }

  close(): void {
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
  }
}
