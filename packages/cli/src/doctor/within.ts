// Waits for something no longer than it is worth.

/** What the promise gives, or, when the time is up before that, what `late` gives. */
export async function within<Value, Late>(
  timeoutMs: number,
  promise: Promise<Value>,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const bell = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), timeoutMs);
  });
  try {
    const first = await Promise.race([promise.then((value) => ({ value })), bell]);
    return first === "late" ? late() : first.value;
  } finally {
    clearTimeout(timer);
    // Nobody waits for it any more, whatever becomes of it.
    promise.catch(() => undefined);
  }
}
