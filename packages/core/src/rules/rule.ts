// Outcome of a rule: whether an actor may do something, decided against the state that the request meets.
import type { Action, Actor, ClientId, Timestamp } from "@holdfast/ahp";
import { makeId } from "@holdfast/ahp";
import type { ErrorCode } from "@holdfast/protocol";

/** Those who submit actions: a person's client, or an app. */
export type SubmittingActor = Extract<Actor, { kind: "client" | "app" }>;

/** The submitter of an action, and when the host took it. */
export interface Author {
  readonly actor: SubmittingActor;
  readonly at: Timestamp;
}

export interface Rejection {
  readonly allowed: false;
  readonly code: ErrorCode;
  /** A sentence for the author: what is wrong, and what to do. */
  readonly reason: string;
}

/** Allowed with the fields that the host vouches for filled in (who, when), or rejected. */
export type Ruling<Allowed = Action> = { readonly allowed: true; readonly action: Allowed } | Rejection;

export function allow<Allowed>(action: Allowed): Ruling<Allowed> {
  return { allowed: true, action };
}

export function reject(reason: string, code: ErrorCode = "INVALID_REQUEST"): Rejection {
  return { allowed: false, code, reason };
}

/** For what only the host does, or what is no action of the channel. */
export function hostOnly({ type }: { readonly type: string }): Rejection {
  return reject(`Clients cannot dispatch ${type.slice(0, 100)} on this channel.`);
}

/** The name under which an actor holds terminals and takes part in sessions; an app's cannot be taken for a client's. */
export function clientIdOf(actor: SubmittingActor): ClientId {
  return actor.kind === "client" ? actor.clientId : makeId("client", `app:${actor.appId}`);
}
