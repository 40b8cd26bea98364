// A check of an AHP host, and what it runs with.
import type { CheckClient, CheckedVersion } from "./check-client.ts";
import { CheckFailure, type Wire } from "./wire.ts";

/** Opens connections to the host that is checked; they are closed with the check. */
export interface CheckContext {
  readonly version: CheckedVersion;
  /** A socket that has said nothing yet. */
  readonly open: () => Promise<Wire>;
  /** A client that has introduced itself and follows the root. */
  readonly client: () => Promise<CheckClient>;
  /** A name that nothing else has. */
  readonly name: () => string;
}

export interface Check {
  /** Such as `K3`. */
  readonly id: string;
  /** The behaviour of a host that passes. */
  readonly title: string;
  /** Rejects with a `CheckFailure` when the host does not. */
  readonly run: (context: CheckContext) => Promise<void>;
}

/** Fails the check unless something holds. */
export function require(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new CheckFailure(otherwise);
}
