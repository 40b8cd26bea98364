// The options of a session: what a value may be, for requests and for the configuration alike.
import { AGENT_NAME_PATTERN, APPROVAL_POLICIES, ISOLATION_LEVELS, type RuntimeOptions } from "@holdfast/ahp";
import { z } from "zod";
import { sessionLimitsSchema } from "./command-limits.ts";
import { LIMITS } from "./limits.ts";
import { check, type Checked, closedObject } from "./schema.ts";

const noControlCharacters = /^[^\u0000-\u001f\u007f-\u009f]*$/;
const absolutePath = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;
const extrasKey = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

/** Text of one line: not empty, bounded, free of control characters. */
export function lineSchema(maxLength: number): z.ZodString {
  return z.string().min(1).max(maxLength).regex(noControlCharacters, "must not contain control characters");
}

/** An agent's id or handle, or a provider's id. */
export const agentNameSchema = z
  .string()
  .min(1)
  .max(LIMITS.nameLength)
  .regex(
    AGENT_NAME_PATTERN,
    "must start with a letter or digit and have only letters, digits, '.', '_' and '-'",
  );

export const cwdSchema = lineSchema(LIMITS.cwdLength).regex(absolutePath, "must be an absolute path");

export const modelSchema = lineSchema(LIMITS.modelLength);

/** Decision on an agent's requests for approval; with no policy the caller is asked. */
export const approvalPolicySchema = z.enum(APPROVAL_POLICIES).meta({ id: "ApprovalPolicy" });

export const timeoutSecondsSchema = z.int().min(LIMITS.minTimeoutSeconds).max(LIMITS.maxTimeoutSeconds);

export const extrasSchema = z
  .record(
    z
      .string()
      .max(LIMITS.extrasKeyLength)
      .regex(
        extrasKey,
        "must start with a letter or digit and have only letters, digits, '.', '_', ':' and '-'",
      ),
    z
      .string()
      .max(LIMITS.extrasValueLength)
      .regex(noControlCharacters, "must not contain control characters"),
  )
  .refine((extras) => Object.keys(extras).length <= LIMITS.extrasEntries, {
    error: `must have at most ${LIMITS.extrasEntries} entries`,
  })
  .meta({ maxProperties: LIMITS.extrasEntries });

/** Reads config options of an agent by their ids; whether the agent has them is known when it has started. */
export function readExtras(value: unknown): Checked<Record<string, string>> {
  return check(extrasSchema, value);
}

/** The options of a session that can be changed between turns; an unknown one is an error. */
export const runtimeOptionsSchema = closedObject({
  model: modelSchema.optional(),
  cwd: cwdSchema.optional(),
  timeoutSeconds: timeoutSecondsSchema.optional(),
  runtimeMode: lineSchema(LIMITS.runtimeModeLength).optional(),
  approvalPolicy: approvalPolicySchema.optional(),
  extras: extrasSchema.optional().describe("Config options of the agent, by their ids."),
  limits: sessionLimitsSchema
    .optional()
    .describe("Replaces the session's limits; they apply to what starts next."),
}).meta({
  id: "RuntimeOptions",
  description: "The options of a session that can be changed between turns.",
}) satisfies z.ZodType<RuntimeOptions>;

/** How much of the machine an agent and its commands see, weakest first. */
export const isolationLevelSchema = z.enum(ISOLATION_LEVELS);
