// Makes a value unchangeable through and through, so that a reducer that writes to its input throws.

/** Freezes a value and all that it holds. Parts that are frozen already are taken to be so throughout. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
