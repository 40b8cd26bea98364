// The operation on the clients that are connected over AHP.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";

const connectedClientSchema = z
  .object({
    clientId: z.string(),
    name: z.string().optional().describe("What it calls itself, for programs."),
    title: z.string().optional().describe("The same, for people."),
    version: z.string().optional(),
    dialect: z.string().describe("What it speaks: holdfast, or a version of AHP."),
    principal: z.string().describe("What it came in with: owner, or a key."),
    connectedAt: z.iso.datetime({ offset: true }),
    channelCount: z.int().describe("How many channels it follows."),
  })
  .meta({ id: "ConnectedClient", description: "A client that is connected over AHP." });

/** A client that is connected over AHP. */
export type ConnectedClient = z.infer<typeof connectedClientSchema>;

/** `GET /admin/clients`. */
export const listClients = defineOperation({
  name: "listClients",
  method: "GET",
  path: "/admin/clients",
  summary: "List the clients that are connected over AHP, the longest first",
  permission: "admin",
  stream: false,
  response: successSchema({ clients: z.array(connectedClientSchema) }),
  errors: [],
});
