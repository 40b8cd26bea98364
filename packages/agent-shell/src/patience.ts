// Waiting that ends: when a signal aborts, or when it has lasted long enough.
import { setTimeout as wait } from "node:timers/promises";

/** Waits for a promise, but rejects with the signal's reason as soon as that aborts. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener("abort", onAbort);
  }
}

/** Waits for a promise; `undefined` when it failed or took longer. */
export async function within<Value>(promise: Promise<Value>, patienceMs: number): Promise<Value | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, wait(patienceMs, undefined, { signal: timer.signal })]);
  } catch {
    // Who uses this has no other way to go on, whatever went wrong.
    return undefined;
  } finally {
    timer.abort();
  }
}
