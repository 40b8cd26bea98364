// The plain values that states and actions are made of.

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object whose fields the model does not look into. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is an object and not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A moment as an ISO 8601 string in UTC with milliseconds, so that two of them compare as strings. */
export type Timestamp = string;

/** A URI that is no channel, such as `file:///home/ada`. */
export type Uri = string;

/** A string that may grow values we have never seen: the known ones are offered, the others are kept. */
export type OpenEnum<Known extends string> = Known | (string & {});
