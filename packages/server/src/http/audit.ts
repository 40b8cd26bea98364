// The operation on the audit.
import { success } from "@holdfast/protocol";
import type { HostPort } from "../host-port.ts";
import type { Handlers } from "./operation-routes.ts";

/** The handler of what was done on the host. */
export function auditHandlers(host: HostPort): Pick<Handlers, "listAudit"> {
  return {
    listAudit: ({ query }, { caller }) => success({ entries: host.readAudit(query, caller) }),
  };
}
