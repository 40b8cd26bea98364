// The operation on permissions: the answer to what an agent asked.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";
import { readAs } from "../spelling.ts";
import { sessionParamsSchema } from "./session.ts";

// By `register`: what refers to itself must keep its identity, and `meta` makes a copy.
const jsonSchema = z
  .json()
  .register(z.globalRegistry, { id: "Json", description: "Any value that JSON knows." });

const permissionDecisionSchema = z
  .object({
    requestId: z.string().min(1),
    optionId: z.string().min(1).describe("The id of an option, or the kind that exactly one option has."),
    outcome: z.string().optional().describe("Taken and not needed: the option says it all."),
    content: z
      .record(z.string(), jsonSchema)
      .optional()
      .describe("What was filled in, by the names of the fields; for a question that is accepted."),
  })
  .meta({ id: "PermissionDecision", description: "The answer to a permission request." });

/** The answer to a permission request. */
export type PermissionDecision = z.infer<typeof permissionDecisionSchema>;

/** What became of an answer; one that came too late says so. */
export const resolutionShape = { resolved: z.boolean(), reason: z.string().optional() };

/** `POST /sdk/acp/session/:key/permission`; an answer that comes too late is told so, not refused. */
export const resolvePermission = defineOperation({
  name: "resolvePermission",
  method: "POST",
  path: "/sdk/acp/session/{key}/permission",
  summary: "Answer a permission request",
  permission: "acp.agent",
  params: sessionParamsSchema,
  body: readAs(permissionDecisionSchema, {
    spellings: { request_id: "requestId", option_id: "optionId" },
    nullIsAbsent: true,
  }),
  stream: false,
  response: successSchema(resolutionShape),
  errors: ["ACP_SESSION_NOT_FOUND", "INVALID_JSON", "BODY_TOO_LARGE"],
});
