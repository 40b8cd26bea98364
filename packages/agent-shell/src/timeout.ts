// Timeouts and cancellation of what is waited for.
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
export async function within<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([promise, wait(timeoutMs, undefined, { signal: timer.signal })]);
  } catch {
    // Callers have no other way to continue, whatever went wrong.
    return undefined;
  } finally {
    timer.abort();
  }
}
