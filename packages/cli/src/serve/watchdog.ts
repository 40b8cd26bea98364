// Watchdog of the main thread: a second thread that reports and ends a host whose event loop hangs (C220).
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export interface WatchdogTimes {
  /** An event loop that has not turned for so long, while its thread used the CPU for most of it, hangs. */
  readonly hangMs: number;
  /** After so long, signals get their default action: no handler would run (C222). */
  readonly releaseSignalsMs: number;
  /** How often the thread looks while nothing seems wrong. Each look is a wake-up. */
  readonly lookMs: number;
}

export interface WatchdogData {
  readonly home: string;
  readonly times: WatchdogTimes;
  readonly parentPid: number | undefined;
  /** Its first element grows with each question that the main thread has answered. */
  readonly turns: Int32Array;
  /** Whether the log is read by people. */
  readonly isTerminal: boolean;
}

/** Messages of the thread; `turns` replies to `turn`. */
export type WatchdogMessage = "turn" | "parent-gone";

/** Operations on the main thread. */
export interface WatchdogActions {
  /** Takes the handlers of signals away, in the middle of whatever hangs. */
  releaseSignals(): void;
  /** Puts them back: the loop has turned after all. */
  takeSignals(): void;
  /** Ends the process at once, in the middle of whatever hangs. */
  end(): never;
  /** Stops the host in an orderly way: the process that it was started by, and ends with, is gone. */
  stop(): void;
}

export interface WatchdogOptions {
  /** The folder that reports are written to. */
  readonly home: string;
  readonly times?: WatchdogTimes | undefined;
  /** The parent that the host ends with, if it does. */
  readonly parentPid?: number | undefined;
  readonly actions: WatchdogActions;
}

const defaultTimes: WatchdogTimes = { hangMs: 10_000, releaseSignalsMs: 3_000, lookMs: 2_000 };

/** The name under which the thread finds the actions: it reaches a hanging main thread as a debugger does. */
export const ACTIONS_KEY = "holdfast.watchdog";

const threadFile = fileURLToPath(new URL("./watchdog-thread.js", import.meta.url));

/** Watches this thread until the process ends; it keeps no process alive. */
export function startWatchdog({ home, times = defaultTimes, parentPid, actions }: WatchdogOptions): void {
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { home, times, parentPid, turns, isTerminal: process.stderr.isTTY };
  Object.assign(globalThis, { [Symbol.for(ACTIONS_KEY)]: actions });
  const thread = new Worker(threadFile, { workerData, name: "watchdog" });
  thread.on("message", (message: WatchdogMessage) => {
    if (message === "parent-gone") return actions.stop();
    Atomics.add(turns, 0, 1);
    actions.takeSignals();
  });
  thread.unref();
}
