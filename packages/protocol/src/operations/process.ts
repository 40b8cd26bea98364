// The operation that lists processes: what the keeper holds, and processes that no run owns any more.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";

const keeperSchema = z.object({
  pid: z.int(),
  version: z.string().describe("The version of the program that started it."),
  startedAt: z.iso.datetime({ offset: true }),
  hosts: z.int().describe("How many hosts were attached, with this one."),
  heldBytes: z.int().describe("Output that it holds in memory."),
  residentBytes: z.int().describe("The memory of its process."),
  sandboxes: z.int(),
});

const heldRunSchema = z.object({
  pid: z.int(),
  kind: z.string().describe("The kind of run, such as tty or text."),
  state: z.enum(["running", "exited"]),
  what: z.string().describe("agent, or the title of a terminal."),
  session: z.string().optional().describe("The URI of its session."),
  terminal: z.string().optional().describe("The URI of its terminal."),
});

const processListSchema = z
  .object({
    keeper: keeperSchema.optional().describe("Absent where processes end with the host."),
    runs: z.array(heldRunSchema).describe("What the keeper holds."),
    unowned: z
      .array(z.object({ pid: z.int(), command: z.string() }))
      .describe("Processes of this host that no run owns any more; only where there is a keeper."),
  })
  .meta({ id: "ProcessList", description: "The keeper, what it holds, and processes without an owner." });

/** The keeper, what it holds, and processes without an owner. */
export type ProcessList = z.infer<typeof processListSchema>;

export const listProcesses = defineOperation({
  name: "listProcesses",
  method: "GET",
  path: "/admin/processes",
  summary: "List what the keeper holds, and processes without an owner",
  permission: "admin",
  stream: false,
  response: successSchema({ processes: processListSchema }),
  errors: [],
});
