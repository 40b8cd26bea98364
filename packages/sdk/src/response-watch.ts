// Watch on a request that waits for its response, and waiting that an AbortSignal ends.

/** Thrown when a host responds to nothing. */
export class NotRespondingError extends Error {
  override readonly name = "NotRespondingError";
}

/** When a host counts as not responding (X220). */
interface ResponseTimes {
  /** A request without a response for so long is followed by a ping. */
  readonly pingAfterMs: number;
  /** A ping without a response for so long, while the request has none either, is the end of both. */
  readonly pingTimeoutMs: number;
}

const defaultTimes: ResponseTimes = { pingAfterMs: 2_500, pingTimeoutMs: 2_500 };

/**
 * Waits for a response. While it does not come, the host is pinged; each answered ping buys the request more time, so
 * that a long one is not broken off. Rejects with a `NotRespondingError` when a ping is not answered.
 */
export async function whileResponding<Value>(
  respond: () => Promise<Value>,
  ping: (signal: AbortSignal) => Promise<unknown>,
  times: ResponseTimes = defaultTimes,
): Promise<Value> {
  const over = new AbortController();
  const silence = new Promise<never>((_resolve, reject) => {
    void watch(ping, times, over.signal).catch(reject);
  });
  try {
    return await Promise.race([respond(), silence]);
  } finally {
    over.abort();
  }
}

/** Pings until the signal; rejects when a ping is not answered. */
async function watch(
  ping: (signal: AbortSignal) => Promise<unknown>,
  { pingAfterMs, pingTimeoutMs }: ResponseTimes,
  over: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(pingAfterMs, over);
    if (over.aborted) return;
    const late = new AbortController();
    const onOver = (): void => late.abort();
    over.addEventListener("abort", onOver, { once: true });
    const timer = setTimeout(onOver, pingTimeoutMs);
    try {
      await ping(late.signal);
    } catch {
      if (over.aborted) return;
      // One that is refused at once leaves the request to its own fate, which is the same.
      if (late.signal.aborted) throw new NotRespondingError("The host does not respond.");
    } finally {
      clearTimeout(timer);
      over.removeEventListener("abort", onOver);
    }
  }
}

/** Waits so long, or until the signal. */
function pause(timeMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, timeMs);
    signal.addEventListener("abort", end);
  });
}

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

/** The promise's outcome, or the signal's reason if that comes first; the work behind the promise continues. */
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
