// Operations on AHP clients: the connected ones, and tickets that open WebSockets.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";

const connectedClientSchema = z
  .object({
    clientId: z.string(),
    name: z.string().optional().describe("Its name for itself, for programs."),
    title: z.string().optional().describe("The same, for people."),
    version: z.string().optional(),
    dialect: z.string().describe("The dialect it speaks: holdfast, or a version of AHP."),
    principal: z.string().describe("The identity it authenticated as: owner, or a key."),
    connectedAt: z.iso.datetime({ offset: true }),
    channelCount: z.int().describe("The number of channels it follows."),
  })
  .meta({ id: "ConnectedClient", description: "A client that is connected over AHP." });

/** A client that is connected over AHP. */
export type ConnectedClient = z.infer<typeof connectedClientSchema>;

export const listClients = defineOperation({
  name: "listClients",
  method: "GET",
  path: "/admin/clients",
  summary: "List the clients that are connected over AHP, longest-connected first",
  permission: "admin",
  stream: false,
  response: successSchema({ clients: z.array(connectedClientSchema) }),
  errors: [],
});

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
