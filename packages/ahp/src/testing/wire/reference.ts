// Input of AHP's reference reducers: loosely typed, because they must accept whatever a host sends.

/** A value as it came over the wire. */
export interface WireFields {
  readonly [field: string]: unknown;
}

/** An action as it came over the wire. */
export interface ReferenceAction extends WireFields {
  readonly type: string;
}

/** In what the reducers of versions differ. */
export interface ReferenceVersion {
  /** Whether a failure is a part (from 0.9) or a field of the turn. */
  readonly failure: "part" | "field";
  /** Whether questions are parts of the turn (from 0.6) or a list. */
  readonly inputRequests: "parts" | "list";
  /** Whether a call that waits for permission can be described again (from 0.6), and actions renew `_meta`. */
  readonly isLenient: boolean;
  /** Whether an exited terminal has a lifecycle (from 0.9) or an exit code. */
  readonly hasTerminalLifecycle: boolean;
  /** Lifecycle of a session that could not be created. */
  readonly failedLifecycle: "failed" | "creationFailed";
  /** The field that holds what was said to the agent. */
  readonly messageField: "message" | "userMessage";
  /** The current time; from 0.9 on reducers do not use it. */
  readonly now: unknown;
}

/** The seed. */
export const seedVersion: ReferenceVersion = {
  failure: "field",
  inputRequests: "list",
  isLenient: false,
  hasTerminalLifecycle: false,
  failedLifecycle: "creationFailed",
  messageField: "userMessage",
  now: 9999,
};

/** The newest version of which there are fixtures. */
export const fixtureVersion: ReferenceVersion = {
  failure: "field",
  inputRequests: "parts",
  isLenient: true,
  hasTerminalLifecycle: false,
  failedLifecycle: "creationFailed",
  messageField: "message",
  now: "1970-01-01T00:00:09.999Z",
};

/** From 0.9 to 1.0. */
export const currentVersion: ReferenceVersion = {
  failure: "part",
  inputRequests: "parts",
  isLenient: true,
  hasTerminalLifecycle: true,
  failedLifecycle: "failed",
  messageField: "message",
  now: undefined,
};

/** A field that is an object. */
export function fieldsOf(value: unknown): WireFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WireFields) : {};
}

/** A field that is a list of objects. */
export function listOf(value: unknown): readonly WireFields[] {
  return Array.isArray(value) ? (value as readonly WireFields[]) : [];
}

/** A field that is a text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A value as it is after a trip over the wire, with `null` for absent as fixtures write it taken out. */
export function overTheWire(value: unknown): unknown {
  return withoutNulls(JSON.parse(JSON.stringify(value)));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]));
}
