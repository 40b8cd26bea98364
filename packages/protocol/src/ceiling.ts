// Ceilings: the most that the sessions of a key or of an app may be allowed.
import { z } from "zod";
import { keyLimitsSchema } from "./command-limits.ts";
import { LIMITS } from "./limits.ts";
import { agentNameSchema, approvalPolicySchema, cwdSchema } from "./runtime-option.ts";
import { closedObject } from "./schema.ts";

/** The ceiling of keys and apps for which the owner names none. */
export const DEFAULT_CEILING: Ceiling = { policy: "approve-reads" };

export const ceilingSchema = closedObject({
  agents: z
    .array(agentNameSchema)
    .min(1)
    .max(LIMITS.ceilingEntries)
    .optional()
    .describe("The only agents that its sessions may have, by id or handle; any agent if left out."),
  roots: z
    .array(cwdSchema)
    .min(1)
    .max(LIMITS.ceilingEntries)
    .optional()
    .describe("The folders that its sessions must be in; any folder but the host's own if left out."),
  policy: approvalPolicySchema.describe("The strongest approval policy that its sessions may have."),
  limits: keyLimitsSchema
    .optional()
    .describe("Limits of its sessions; those of the configuration apply as well, and the strictest counts."),
}).meta({ id: "Ceiling", description: "The most that the sessions of a key or an app may be allowed." });

/** A ceiling as the owner names it; the policy is `approve-reads` if left out. */
export const wantedCeilingSchema = ceilingSchema.partial({ policy: true }).meta({
  id: "WantedCeiling",
  description: "The most that the sessions of a key or an app may be allowed; approve-reads if left out.",
});

/** The most that the sessions of a key or an app may be allowed. */
export type Ceiling = z.infer<typeof ceilingSchema>;

/** A ceiling as the owner names it. */
export type WantedCeiling = z.infer<typeof wantedCeilingSchema>;

/** The ceiling that the owner meant. */
export function completeCeiling({ agents, roots, policy, limits }: WantedCeiling = {}): Ceiling {
  return {
    ...(agents !== undefined && { agents }),
    ...(roots !== undefined && { roots }),
    policy: policy ?? DEFAULT_CEILING.policy,
    ...(limits !== undefined && { limits }),
  };
}
