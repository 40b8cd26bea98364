// Identity of a request's sender, and its permissions.
import type { ClientId } from "@holdfast/ahp";
import { HostError, type Permission } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";

export interface Identity {
  /** As the host knows them: a key that may do everything is as good as the owner. */
  readonly caller: Caller;
  /** Names the one credential they came with. */
  readonly clientId: ClientId;
  readonly scopes: readonly Permission[];
  /** The credential: the owner's token, a key, or an app id. */
  readonly kind: "token" | "key" | "app-id";
  /** Whether the owner has refused what is not among the scopes, or was not asked yet. */
  readonly isRefused: boolean;
}

/** Throws unless the permission is among the identity's scopes (A63). */
export function requirePermission({ scopes, isRefused, kind }: Identity, permission: Permission): void {
  if (scopes.includes(permission)) return;
  const details = { permission };
  if (isRefused) throw new HostError("PERMISSION_DENIED", undefined, { details });
  const sentence =
    kind === "app-id"
      ? `The app has not been granted the permission ${permission} yet. Ask the host's owner to grant it.`
      : `This key does not carry the permission ${permission}. Ask the host's owner for one that does.`;
  throw new HostError("PERMISSION_REQUIRED", sentence, { details });
}
