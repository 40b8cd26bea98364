// Identity of a request's sender, and its permissions.
import type { ClientId } from "@holdfast/ahp";
import type { Permission } from "@holdfast/protocol";
import type { Caller } from "../host-port.ts";

export interface Identity {
  /** As the host knows them: a key that may do everything is as good as the owner. */
  readonly caller: Caller;
  /** Names the one credential they came with. */
  readonly clientId: ClientId;
  readonly scopes: readonly Permission[];
  /** The credential: the owner's token, a browser's sign-in, a key, or an app id. */
  readonly kind: "token" | "sign-in" | "key" | "app-id";
  /** Whether the owner has refused what is not among the scopes, or was not asked yet. */
  readonly isRefused: boolean;
}
