// Waiting that an AbortSignal breaks off.

/** Waits so long; rejects with the signal's reason as soon as it is aborted. */
export async function wait(timeMs: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const time = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeMs);
  });
  try {
    await abortable(time, signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The promise's outcome, or the signal's reason if that comes first; what was begun goes on. */
export async function abortable<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (signal === undefined) return promise;
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // An abort's reason may be anything, and callers compare it with what they gave.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
