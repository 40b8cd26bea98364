// Operations on sessions: create, read, list, change, close.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import {
  agentNameSchema,
  approvalPolicySchema,
  cwdSchema,
  lineSchema,
  modelSchema,
  runtimeOptionsSchema,
} from "../runtime-option.ts";
import { decodeSessionKey } from "../session-key.ts";
import { flagSchema } from "../query.ts";
import { readAs } from "../spelling.ts";

/** The path parameter of every operation on one session. */
export const sessionParamsSchema = z.object({ key: z.string().transform(decodeSessionKey) });

/** The body of a close or a cancel: nothing, or why. */
export const reasonSchema = readAs(z.object({ reason: z.string().max(LIMITS.reasonLength).optional() }), {
  spellings: {},
  nullIsAbsent: true,
});

const sessionOptionsSchema = z
  .object({
    agent_id: z.string().min(1).describe("An agent's id or one of its handles."),
    cwd: cwdSchema.optional(),
    label: lineSchema(LIMITS.labelLength).optional(),
    model: modelSchema.optional(),
    approvalPolicy: approvalPolicySchema.optional(),
    forwardedProvider: agentNameSchema.optional().describe("Whose credentials the agent shall use."),
    mcpServers: z
      .array(agentNameSchema)
      .max(LIMITS.mcpServers)
      .optional()
      .describe("MCP servers of the configuration that the agent shall use, by their names."),
  })
  .meta({ id: "SessionOptions", description: "What a new session is made from." });

/** What a new session is made from. */
export type SessionOptions = z.infer<typeof sessionOptionsSchema>;

const timestamp = z.iso.datetime({ offset: true });

/** A session as its creator sees it. */
export const sessionSchema = z
  .object({
    session_key: z.string(),
    agent_id: z.string(),
    state: z.enum(["initializing", "ready", "stale", "closed"]),
    backend_id: z.string(),
    created_at: timestamp,
  })
  .meta({ id: "Session", description: "A session with one agent." });

/** A session as its creator sees it. */
export type Session = z.infer<typeof sessionSchema>;

/** A session with its options and what last happened in it. */
export const sessionStatusSchema = z
  .object({
    ...sessionSchema.shape,
    runtime_options: runtimeOptionsSchema,
    last_activity_at: timestamp.nullable(),
    last_error: z.string().optional(),
    label: z.string().optional(),
    title: z.string().optional().describe("What it is about; at first the name of its agent."),
  })
  .meta({ id: "SessionStatus", description: "A session with its options and what last happened in it." });

/** A session with its options and what last happened in it. */
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

/** `POST /sdk/acp/session`. */
export const createSession = defineOperation({
  name: "createSession",
  method: "POST",
  path: "/sdk/acp/session",
  summary: "Start an agent in a new session; answers once it is ready",
  permission: "acp.agent",
  body: readAs(sessionOptionsSchema, {
    spellings: {
      agentId: "agent_id",
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
    "ACP_MAX_SESSIONS",
    "ACP_SESSION_INIT_FAILED",
    "ACP_INVALID_OPTION",
    "INVALID_JSON",
    "BODY_TOO_LARGE",
  ],
});

/** `GET /sdk/acp/session/:key`. */
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

/** `GET /sdk/acp/sessions`. */
export const listSessions = defineOperation({
  name: "listSessions",
  method: "GET",
  path: "/sdk/acp/sessions",
  summary: "List the caller's sessions",
  permission: "acp.agent",
  query: z.object({ closed: flagSchema().describe("Whether also those that are over and still kept.") }),
  stream: false,
  response: successSchema({ sessions: z.array(sessionStatusSchema) }),
  errors: [],
});

/** `PATCH /sdk/acp/session/:key`. */
export const patchSession = defineOperation({
  name: "patchSession",
  method: "PATCH",
  path: "/sdk/acp/session/{key}",
  summary: "Change a session's options from the next turn on",
  permission: "acp.agent",
  params: sessionParamsSchema,
  // Null is refused here: a caller who means to take a policy away must not be told that it worked.
  body: readAs(runtimeOptionsSchema, {
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
  errors: ["ACP_SESSION_NOT_FOUND", "ACP_INVALID_OPTION", "INVALID_JSON", "BODY_TOO_LARGE"],
});

/** `DELETE /sdk/acp/session/:key`. */
export const closeSession = defineOperation({
  name: "closeSession",
  method: "DELETE",
  path: "/sdk/acp/session/{key}",
  summary: "Stop the agent and close the session; its history stays unless it is purged",
  permission: "acp.agent",
  params: sessionParamsSchema,
  query: z.object({ purge: flagSchema().describe("Whether to remove everything that is kept of it too.") }),
  body: reasonSchema,
  bodyOptional: true,
  stream: false,
  response: successSchema({}),
  errors: ["ACP_SESSION_NOT_FOUND", "INVALID_JSON", "BODY_TOO_LARGE"],
});
