// The operation on the policy file: the rules in force on the running host.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { defineOperation } from "../operation.ts";

const effectSchema = z.enum(["allow", "ask", "deny"]);

const policyInForceSchema = z
  .object({
    file: z.string().optional().describe("The policy file; absent where the host has none."),
    sets: z
      .array(
        z.object({
          source: z.string().describe("The file's name, or that of a preset."),
          rules: z.array(z.record(z.string(), z.unknown())).describe("As the policy file writes them."),
          otherwise: effectSchema.optional().describe("Absent: the session's policy decides the rest."),
        }),
      )
      .describe("Sets of rules, the preset first; empty where approval policies decide alone."),
    problem: z
      .string()
      .optional()
      .describe("Why the file as it is now is not in force; the rules are those before the change."),
  })
  .meta({ id: "PolicyInForce", description: "The rules that decide about actions of agents." });

/** The rules that decide about actions of agents. */
export type PolicyInForce = z.infer<typeof policyInForceSchema>;

export const getPolicy = defineOperation({
  name: "getPolicy",
  method: "GET",
  path: "/admin/policy",
  summary: "Show the rules of the policy file that are in force",
  permission: "admin",
  stream: false,
  response: successSchema({ policy: policyInForceSchema }),
  errors: [],
});
