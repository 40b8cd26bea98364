// The operation that gives out tickets for WebSockets.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";

/** `POST /admin/tickets`. */
export const createTicket = defineOperation({
  name: "createTicket",
  method: "POST",
  path: "/admin/tickets",
  summary: "Make a ticket that opens one WebSocket",
  permission: "admin",
  stream: false,
  response: successSchema({
    ticket: z.string().describe("Goes into the WebSocket's address as ?ticket=, and opens it once."),
    expiresAt: z.string(),
  }),
  errors: [],
});
