// The authenticated caller of a request to the host.
import type { AppId, SessionOwner } from "@holdfast/ahp";
import { makeId } from "@holdfast/ahp";
import { type Ceiling, HostError } from "@holdfast/protocol";
import type { SubmittingActor } from "./rules/rule.ts";

/** The person whose host it is, who sees everything; or an app, known by its key or its id, which sees its own. */
export type Caller =
  | { readonly kind: "owner" }
  | {
      readonly kind: "app";
      readonly appId: AppId;
      readonly name?: string;
      /** The most that its sessions may be allowed. */
      readonly ceiling?: Ceiling;
    };

/** Refuses everybody but the owner, as whom keys that allow `admin` act. */
export function requireOwner(caller: Caller): void {
  if (caller.kind === "owner") return;
  throw new HostError("PERMISSION_REQUIRED", undefined, { details: { permission: "admin" } });
}

/** The caller as the actor of what it submits. */
export function actorOf(caller: Caller): SubmittingActor {
  return caller.kind === "owner"
    ? { kind: "client", clientId: makeId("client", "owner") }
    : { kind: "app", appId: caller.appId };
}

/** The caller as the submitter of a request. */
export function submitterOf(caller: Caller): {
  readonly actor: SubmittingActor;
  readonly ceiling?: Ceiling | undefined;
} {
  return { actor: actorOf(caller), ceiling: caller.kind === "app" ? caller.ceiling : undefined };
}

/** The caller as the owner of a new session. */
export function ownerOf(caller: Caller): SessionOwner {
  if (caller.kind === "owner") return { kind: "person" };
  const { appId, name, ceiling: { limits } = {} } = caller;
  return {
    kind: "app",
    appId,
    ...(name !== undefined && { name }),
    ...(limits !== undefined && { limits }),
  };
}

/** The caller that an actor's submission comes from: a client acts for the owner. */
export function callerOf(actor: SubmittingActor): Caller {
  return actor.kind === "client" ? { kind: "owner" } : actor;
}

/** Whether the caller may see a session of this owner. */
export function maySee(caller: Caller, owner: SessionOwner): boolean {
  return caller.kind === "owner" || (owner.kind === "app" && owner.appId === caller.appId);
}
