// The operation on permissions.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

/** The handler of answers to what an agent asked. */
export function permissionHandlers(host: HostPort): Pick<Handlers, "resolvePermission"> {
  return {
    resolvePermission: ({ params, body }, { caller }) =>
      success({ ...host.resolvePermission(params.key, body, caller) }),
  };
}
