// The operation that gives out tickets for WebSockets.
import { success } from "@holdfast/protocol";
import type { Access } from "../auth/access.ts";
import type { Handlers } from "./operation-routes.ts";

/** The handler of what concerns tickets. */
export function ticketHandlers({ tickets }: Access): Pick<Handlers, "createTicket"> {
  return { createTicket: (_input, { clientId }) => success({ ...tickets.issue(clientId) }) };
}
