// Operations on sessions: create, read, list, change, close.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { limitInForceSchema, sessionLimitsSchema } from "../command-limits.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import {
  agentNameSchema,
  approvalPolicySchema,
  cwdSchema,
  extrasSchema,
  isolationLevelSchema,
  lineSchema,
  modelSchema,
  runtimeOptionsSchema,
  timeoutSecondsSchema,
} from "../runtime-option.ts";
import { flagSchema, readAs } from "../request.ts";
import { closedObject } from "../schema.ts";

/** The path parameter of every operation on one session. */
export const sessionParamsSchema = z.object({ key: z.string().transform(decodeSessionKey) });

/** The body of a close or a cancel: nothing, or why. */
const reasonSchema = readAs(z.object({ reason: z.string().max(LIMITS.reasonLength).optional() }), {
  spellings: {},
  nullIsAbsent: true,
});

const sessionOptionsSchema = closedObject({
  agent_id: z.string().min(1).describe("An agent's id or one of its handles."),
  cwd: cwdSchema.optional(),
  label: lineSchema(LIMITS.labelLength).optional(),
  model: modelSchema.optional(),
  timeoutSeconds: timeoutSecondsSchema.optional(),
  runtimeMode: lineSchema(LIMITS.runtimeModeLength).optional(),
  approvalPolicy: approvalPolicySchema.optional(),
  extras: extrasSchema.optional().describe("Config options of the agent, by their ids."),
  limits: sessionLimitsSchema.optional(),
  forwardedProvider: agentNameSchema.optional().describe("The provider whose credentials the agent uses."),
  mcpServers: z
    .array(agentNameSchema)
    .max(LIMITS.mcpServers)
    .optional()
    .describe("MCP servers of the configuration that the agent uses, by name."),
  isolation: isolationLevelSchema
    .optional()
    .describe("How the agent and its commands are isolated; keys can only ask for more than the default."),
}).meta({ id: "SessionOptions", description: "What a new session is made from." });

/** Options of a new session. */
export type SessionOptions = z.infer<typeof sessionOptionsSchema>;

const timestamp = z.iso.datetime({ offset: true });

const sessionSchema = z
  .object({
    session_key: z.string(),
    uri: z.string().optional().describe("Its channel in AHP."),
    agent_id: z.string(),
    state: z.enum(["initializing", "ready", "stale", "closed"]),
    backend_id: z.string(),
    created_at: timestamp,
  })
  .meta({ id: "Session", description: "A session with one agent." });

/** A session as its creator sees it. */
export type Session = z.infer<typeof sessionSchema>;

const choiceSchema = z.object({
  value: z.string(),
  name: z.string(),
  description: z.string().optional(),
  group: z.string().optional().describe("The heading under which the agent lists it."),
});

const optionText = {
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  category: z.string().optional().describe("Such as model, mode or thought_level."),
};

/** An option that an agent offers in its session, in ACP's shape. */
const configOptionSchema = z
  .discriminatedUnion("type", [
    z.object({
      ...optionText,
      type: z.literal("select"),
      currentValue: z.string(),
      options: z.array(choiceSchema),
    }),
    z.object({ ...optionText, type: z.literal("boolean"), currentValue: z.boolean() }),
  ])
  .meta({ id: "ConfigOption", description: "An option that an agent offers in its session." });

const modesSchema = z
  .object({
    currentModeId: z.string(),
    availableModes: z.array(
      z.object({ id: z.string(), name: z.string(), description: z.string().optional() }),
    ),
  })
  .meta({ id: "SessionModes", description: "The modes that an agent offers, and the one in force." });

const sessionIsolationSchema = z
  .object({
    wanted: z.string().describe("The level that was asked for."),
    level: z.string().describe("The level in force: none, guard or workspace."),
    backend: z.string().optional().describe("What enforces it; absent until a process is started."),
    gaps: z.array(z.string()).readonly().optional().describe("What this machine does not do of the level."),
    reason: z.string().optional().describe("Why the level is weaker than what was asked for."),
  })
  .meta({ id: "SessionIsolation", description: "How the agent and its commands are isolated." });

const sessionStatusSchema = z
  .object({
    ...sessionSchema.shape,
    runtime_options: runtimeOptionsSchema,
    last_activity_at: timestamp.nullable(),
    last_error: z.string().optional(),
    label: z.string().optional(),
    title: z.string().optional().describe("The topic; at first the name of its agent."),
    activity: z
      .string()
      .optional()
      .describe("One line on the current activity, such as why an idle agent is not stopped."),
    current_model: z
      .string()
      .optional()
      .describe("The model in force, as the agent reports it; absent where it does not."),
    current_mode: z.string().optional().describe("The mode in force, as the agent reports it."),
    limits: z
      .array(limitInForceSchema)
      .optional()
      .describe("The limits in force, and what enforces each. Not in lists; absent where there are none."),
    changes: z
      .object({ files: z.int(), additions: z.int(), deletions: z.int() })
      .optional()
      .describe("What changed in its folder since its first turn, as of the last turn's end."),
    asks: z.literal(false).optional().describe("Present where the agent acts without asking."),
    isolation: sessionIsolationSchema.optional(),
    modes: modesSchema.optional().describe("Not in lists; absent where the agent has none."),
    config_options: z
      .array(configOptionSchema)
      .optional()
      .describe("The options that extras can set. Not in lists."),
  })
  .meta({ id: "SessionStatus", description: "A session with its options and what last happened in it." });

/** A session with its options and what last happened in it. */
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

export const createSession = defineOperation({
  name: "createSession",
  method: "POST",
  path: "/sdk/acp/session",
  summary: "Start an agent in a new session; responds when it is ready",
  permission: "acp.agent",
  body: readAs(sessionOptionsSchema, {
    spellings: {
      agentId: "agent_id",
      timeout_seconds: "timeoutSeconds",
      runtime_mode: "runtimeMode",
      approval_policy: "approvalPolicy",
      forwarded_provider: "forwardedProvider",
      mcp_servers: "mcpServers",
    },
    nullIsAbsent: true,
  }),
  invalidBody: "ACP_INVALID_OPTION",
  stream: false,
  response: successSchema({ session: sessionSchema }),
  errors: [
    "ACP_UNKNOWN_AGENT",
    "ACP_AGENT_NOT_ALLOWED",
    "CEILING_EXCEEDED",
    "ACP_MAX_SESSIONS",
    "ACP_SESSION_INIT_FAILED",
    "ACP_INVALID_OPTION",
    "LIMIT_TOO_HIGH",
    "ISOLATION_UNAVAILABLE",
    "ISOLATION_NOT_ALLOWED",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

export const getSession = defineOperation({
  name: "getSession",
  method: "GET",
  path: "/sdk/acp/session/{key}",
  summary: "Read one session",
  permission: "acp.agent",
  params: sessionParamsSchema,
  stream: false,
  response: successSchema({ session: sessionStatusSchema }),
  errors: ["ACP_SESSION_NOT_FOUND"],
});

export const listSessions = defineOperation({
  name: "listSessions",
  method: "GET",
  path: "/sdk/acp/sessions",
  summary: "List the caller's sessions",
  permission: "acp.agent",
  query: z.object({
    closed: flagSchema().describe("Whether to include closed sessions that are still kept."),
  }),
  stream: false,
  response: successSchema({ sessions: z.array(sessionStatusSchema) }),
  errors: [],
});

const sessionPatchSchema = closedObject({
  ...runtimeOptionsSchema.shape,
  approvalPolicy: approvalPolicySchema.nullable().optional().describe("Null removes it."),
}).meta({ id: "SessionPatch", description: "The options to change; null removes a policy." });

/** Changes of a session's options. */
export type SessionPatch = z.infer<typeof sessionPatchSchema>;

export const patchSession = defineOperation({
  name: "patchSession",
  method: "PATCH",
  path: "/sdk/acp/session/{key}",
  summary: "Change a session's options from the next turn on",
  permission: "acp.agent",
  params: sessionParamsSchema,
  // Null is an error, except that it removes a policy: a caller that means to remove another option must not get a success.
  body: readAs(sessionPatchSchema, {
    spellings: {
      timeout_seconds: "timeoutSeconds",
      runtime_mode: "runtimeMode",
      approval_policy: "approvalPolicy",
    },
    nullIsAbsent: false,
  }),
  invalidBody: "ACP_INVALID_OPTION",
  stream: false,
  response: successSchema({ session: sessionStatusSchema }),
  errors: [
    "ACP_SESSION_NOT_FOUND",
    "ACP_INVALID_OPTION",
    "CEILING_EXCEEDED",
    "LIMIT_TOO_HIGH",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

export const closeSession = defineOperation({
  name: "closeSession",
  method: "DELETE",
  path: "/sdk/acp/session/{key}",
  summary: "Stop the agent and close the session; its history stays unless it is purged",
  permission: "acp.agent",
  params: sessionParamsSchema,
  query: z.object({ purge: flagSchema().describe("Whether to also delete everything stored about it.") }),
  body: reasonSchema,
  bodyOptional: true,
  stream: false,
  response: successSchema({}),
  errors: ["ACP_SESSION_NOT_FOUND", "INVALID_JSON", "BODY_TOO_LARGE"],
});

export const reopenSession = defineOperation({
  name: "reopenSession",
  method: "POST",
  path: "/sdk/acp/session/{key}/reopen",
  summary: "Open a closed session again; the next turn starts its agent",
  permission: "acp.agent",
  params: sessionParamsSchema,
  stream: false,
  response: successSchema({ session: sessionStatusSchema }),
  errors: [
    "ACP_SESSION_NOT_FOUND",
    "ACP_SESSION_INIT_FAILED",
    "ACP_DISABLED",
    "ACP_UNKNOWN_AGENT",
    "ACP_AGENT_NOT_ALLOWED",
    "ACP_INVALID_OPTION",
    "CEILING_EXCEEDED",
  ],
});

/** Reads a key from a path, percent-encoded or already decoded by the server's router. */
function decodeSessionKey(segment: string): string {
  // No key contains a percent sign (P7), so decoding once more than needed changes nothing.
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    // A broken escape is the key of no session: the caller gets 404, not 400.
    return segment;
  }
}
