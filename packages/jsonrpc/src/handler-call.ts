// Calls a handler so that a synchronous one costs no promise and no failure escapes.

/** Calls back with the outcome: at once if the handler is synchronous, else when its promise settles. */
export function callHandler(
  handler: () => unknown,
  onResult: (result: unknown) => void,
  onError: (error: unknown) => void,
): Promise<void> | undefined {
  let result: unknown;
  try {
    result = handler();
  } catch (error) {
    onError(error);
    return undefined;
  }
  if (isPromiseLike(result)) return Promise.resolve(result).then(onResult, onError);
  onResult(result);
  return undefined;
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
