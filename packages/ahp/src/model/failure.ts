// What went wrong, who decided, and which limit fired: said the same way in every channel.
import type { AppId, ClientId } from "./ids.ts";

/** An error as people and programs are told of it. */
export interface ErrorInfo {
  /** A machine-readable word such as `agent_exited`. */
  readonly code: string;
  /** A sentence that tells a person what happened and what to do. */
  readonly message: string;
  readonly retryable?: boolean;
  /** A finer code from whoever failed, such as an agent's JSON-RPC number. */
  readonly detailCode?: string;
  /** The last lines an agent wrote to stderr before it died. */
  readonly stderrTail?: readonly string[];
}

/** A limit of the host that ended something. */
export interface LimitFired {
  /** Which limit, such as `turn-time`, `run-time`, `memory`, `output`. */
  readonly name: string;
  readonly value: number;
  readonly unit: "ms" | "bytes" | "count";
}

/** Who took a decision. */
export type Actor =
  | { readonly kind: "client"; readonly clientId: ClientId }
  | { readonly kind: "app"; readonly appId: AppId }
  | { readonly kind: "policy"; readonly policy: string }
  | { readonly kind: "expiry" }
  | { readonly kind: "host" };
