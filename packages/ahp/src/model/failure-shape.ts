// The shapes of errors, limits and actors.
import type { Actor, ErrorInfo, LimitFired } from "./failure.ts";
import { flag, id, list, number, object, oneOf, optional, taggedUnion, text } from "./shape.ts";

/** The shape of an error. */
export const errorInfoShape = object<ErrorInfo>({
  code: text,
  message: text,
  retryable: optional(flag),
  detailCode: optional(text),
  stderrTail: optional(list(text)),
});

/** The shape of a limit that fired. */
export const limitFiredShape = object<LimitFired>({
  name: text,
  value: number,
  unit: oneOf("ms", "bytes", "count"),
});

/** The shape of an actor. */
export const actorShape = taggedUnion<Actor, "kind">("kind", {
  client: { clientId: id("client") },
  app: { appId: id("app") },
  policy: { policy: text },
  expiry: {},
  host: {},
});
