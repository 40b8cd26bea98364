// Fields of JSON whose shape nobody has checked.

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; anything else has no fields. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The objects in a list; anything else is empty. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The value as text; anything else is empty. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
