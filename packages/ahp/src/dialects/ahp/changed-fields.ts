// What differs between two flat objects on the wire.

/**
 * The fields that have other values; undefined when there are none.
 * A text that went away becomes an empty one: a partial update has no way to take a field away.
 */
export function changedFields<Shown extends object>(before: Shown, after: Shown): Partial<Shown> | undefined {
  const changes: Record<string, unknown> = {};
  const from = new Map<string, unknown>(Object.entries(before));
  for (const [name, value] of Object.entries(after)) {
    if (!isSame(from.get(name), value)) changes[name] = value ?? "";
  }
  return Object.keys(changes).length > 0 ? (changes as Partial<Shown>) : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));
}
