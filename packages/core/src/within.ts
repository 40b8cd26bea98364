// A wait that ends after a time, whatever it waits for.

/** The value of the promise; undefined if it is later than that. It is not cancelled. */
export async function within<Value>(boundMs: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), boundMs);
  });
  return Promise.race([promise, bound]).finally(() => clearTimeout(timer));
}
