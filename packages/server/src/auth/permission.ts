// The check of a permission against the scopes of a request's sender.
import { HostError, type Permission } from "@holdfast/protocol";
import type { Identity } from "./identity.ts";

/** Throws unless the permission is among the identity's scopes (A63). */
export function requirePermission({ scopes, isRefused, kind }: Identity, permission: Permission): void {
  if (scopes.includes(permission)) return;
  const details = { permission };
  if (isRefused) throw new HostError("PERMISSION_DENIED", undefined, { details });
  const sentence =
    kind === "app-id"
      ? `The app has not been granted the permission ${permission} yet. Ask the host's owner to grant it.`
      : `This key does not have the permission ${permission}. Ask the host's owner for a key that has it.`;
  throw new HostError("PERMISSION_REQUIRED", sentence, { details });
}
