// Errors and actors, the same in every channel.
import type { AppId, ClientId } from "./ids.ts";
import { flag, id, list, object, optional, taggedUnion, text } from "./shape.ts";

/** An error as clients see it. */
export interface ErrorInfo {
  /** A machine-readable word such as `agent_exited`. */
  readonly code: string;
  /** A sentence for people: what happened and what to do. */
  readonly message: string;
  readonly retryable?: boolean;
  /** A finer code from the part that failed, such as an agent's JSON-RPC number. */
  readonly detailCode?: string;
  /** The last lines an agent wrote to stderr before it died. */
  readonly stderrTail?: readonly string[];
  readonly remedy?: Remedy;
}

/** A remedy that a person can apply after an error. */
export interface Remedy {
  /** A sentence. */
  readonly text: string;
  /** A shell command that does it in a terminal. */
  readonly command?: string;
}

/** The actor behind a decision. */
export type Actor =
  | { readonly kind: "client"; readonly clientId: ClientId }
  | { readonly kind: "app"; readonly appId: AppId }
  | { readonly kind: "policy"; readonly policy: string }
  | { readonly kind: "expiry" }
  | { readonly kind: "host" };

const remedyShape = object<Remedy>({ text, command: optional(text) });

export const errorInfoShape = object<ErrorInfo>({
  code: text,
  message: text,
  retryable: optional(flag),
  detailCode: optional(text),
  stderrTail: optional(list(text)),
  remedy: optional(remedyShape),
});

export const actorShape = taggedUnion<Actor, "kind">("kind", {
  client: { clientId: id("client") },
  app: { appId: id("app") },
  policy: { policy: text },
  expiry: {},
  host: {},
});
