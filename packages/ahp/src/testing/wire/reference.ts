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
  /** Whether questions are parts of the turn (from 0.6) or a list, and whether answered ones become parts (0.5.2). */
  readonly inputRequests: "parts" | "list" | "list-then-parts";
  /** Whether actions renew a tool call's `_meta`. */
  readonly renewsMeta: boolean;
  /** Whether a call that waits for permission can be described again (from 0.6). */
  readonly redescribesWaiting: boolean;
  /** Whether a session whose client shall run a tool counts as one that waits for a person (up to 0.7). */
  readonly asksForClientTools: boolean;
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
  renewsMeta: false,
  redescribesWaiting: false,
  asksForClientTools: true,
  hasTerminalLifecycle: false,
  failedLifecycle: "creationFailed",
  messageField: "userMessage",
  now: 9999,
};

/** From 0.6, the newest version of which there are fixtures, to 0.8. */
export const fixtureVersion: ReferenceVersion = {
  failure: "field",
  inputRequests: "parts",
  renewsMeta: true,
  redescribesWaiting: true,
  asksForClientTools: true,
  hasTerminalLifecycle: false,
  failedLifecycle: "creationFailed",
  messageField: "message",
  now: "1970-01-01T00:00:09.999Z",
};

/** 0.5.2. */
export const version0_5_2: ReferenceVersion = {
  ...fixtureVersion,
  inputRequests: "list-then-parts",
  redescribesWaiting: false,
};

/** 0.5.0 and 0.5.1. */
export const version0_5: ReferenceVersion = { ...version0_5_2, inputRequests: "list" };

/** From 0.9 to 1.0. */
export const currentVersion: ReferenceVersion = {
  failure: "part",
  inputRequests: "parts",
  renewsMeta: true,
  redescribesWaiting: true,
  asksForClientTools: false,
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
