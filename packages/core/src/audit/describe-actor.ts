// The name of an actor in the audit and in messages.
import type { Actor } from "@holdfast/ahp";

export function describeActor(actor: Actor): string {
  switch (actor.kind) {
    case "client":
      return `client ${actor.clientId}`;
    case "app":
      return `app ${actor.appId}`;
    case "policy":
      return `policy ${actor.policy}`;
    case "expiry":
    case "host":
      return actor.kind;
  }
}
