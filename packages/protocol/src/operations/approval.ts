// Operations on approvals: pending requests, and decisions on them.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { approvalSubjectSchema, permissionRequestDataSchema } from "../events.ts";
import { defineOperation } from "../operation.ts";
import { readAs } from "../request.ts";
import { sessionParamsSchema } from "./session.ts";

// By `register`: what refers to itself must keep its identity, and `meta` makes a copy.
const jsonSchema = z
  .json()
  .register(z.globalRegistry, { id: "Json", description: "Any value that JSON knows." });

const contentSchema = z
  .record(z.string(), jsonSchema)
  .describe("The values of the fields, by name; for a question that is accepted.");

const scopeSchema = z
  .enum(["session", "folder"])
  .describe("Where an answer for always holds: in this session, or in all of the caller's in its folder.");

const permissionDecisionSchema = z
  .object({
    requestId: z.string().min(1),
    optionId: z.string().min(1).describe("The kind that exactly one option has, or the id of an option."),
    outcome: z.string().optional().describe("Accepted and ignored: the option decides."),
    content: contentSchema.optional(),
    scope: scopeSchema.optional(),
  })
  .meta({ id: "PermissionDecision", description: "The answer to a permission request." });

/** The decision on a permission request. */
export type PermissionDecision = z.infer<typeof permissionDecisionSchema>;

/** The outcome of a decision; one that came too late says so. */
const resolutionShape = { resolved: z.boolean(), reason: z.string().optional() };

// A decision that comes too late is reported as such, not refused.
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
  errors: ["ACP_SESSION_NOT_FOUND", "ACP_INVALID_OPTION", "INVALID_JSON", "BODY_TOO_LARGE"],
});

const pendingApprovalSchema = z
  .object({
    ...permissionRequestDataSchema.shape,
    session_key: z.string(),
    requestedAt: z.iso.datetime({ offset: true }),
    url: z.string().optional().describe("The address that a person must visit; only of the kind url."),
    questions: z.array(z.unknown()).optional().describe("The fields; only of the kind form."),
    requestedSchema: z.unknown().optional().describe("The agent's own schema of the form."),
  })
  .meta({
    id: "PendingApproval",
    description: "A pending request: a permission request, or a form or URL (kind form or url).",
  });

/** A pending permission request: the data of its event, its session, and the time of the request. */
export type PendingApproval = z.infer<typeof pendingApprovalSchema>;

export const listApprovals = defineOperation({
  name: "listApprovals",
  method: "GET",
  path: "/sdk/acp/approvals",
  summary: "List the pending requests of all of the caller's sessions, oldest first",
  permission: "acp.agent",
  stream: false,
  response: successSchema({ approvals: z.array(pendingApprovalSchema) }),
  errors: [],
});

// The first decision counts, whichever connection it comes from.
export const resolveApproval = defineOperation({
  name: "resolveApproval",
  method: "POST",
  path: "/sdk/acp/approvals/{id}",
  summary: "Answer a permission request of any session",
  permission: "acp.agent",
  params: z.object({ id: z.string() }),
  body: readAs(
    z
      .object({
        optionId: z.string().min(1).describe("The kind that exactly one option has, or the id of an option."),
        content: contentSchema.optional(),
        scope: scopeSchema.optional(),
      })
      .meta({ id: "ApprovalAnswer", description: "The option that was chosen." }),
    { spellings: { option_id: "optionId" }, nullIsAbsent: true },
  ),
  stream: false,
  response: successSchema(resolutionShape),
  errors: ["ACP_INVALID_OPTION", "INVALID_JSON", "BODY_TOO_LARGE"],
});

const permissionRuleSchema = z
  .object({
    id: z.string(),
    scope: z.enum(["session", "folder"]),
    session_key: z.string().optional().describe("The session that it holds in."),
    folder: z.string().optional().describe("The folder that it holds in."),
    agent_id: z.string(),
    subject: approvalSubjectSchema,
    createdAt: z.iso.datetime({ offset: true }),
    by: z.string().describe("Who allowed it."),
  })
  .meta({
    id: "PermissionRule",
    description: "Something that is always allowed, until the rule is removed.",
  });

/** A standing permission: what it describes is not asked about. */
export type PermissionRuleInfo = z.infer<typeof permissionRuleSchema>;

export const listPermissionRules = defineOperation({
  name: "listPermissionRules",
  method: "GET",
  path: "/sdk/acp/permission-rules",
  summary: "List the permission rules of the caller's sessions and folders, oldest first",
  permission: "acp.agent",
  stream: false,
  response: successSchema({ rules: z.array(permissionRuleSchema) }),
  errors: [],
});

export const removePermissionRule = defineOperation({
  name: "removePermissionRule",
  method: "DELETE",
  path: "/sdk/acp/permission-rules/{id}",
  summary: "Remove a permission rule",
  permission: "acp.agent",
  params: z.object({ id: z.string().min(1) }),
  stream: false,
  response: successSchema({}),
  errors: ["NOT_FOUND"],
});
