// The operation on the audit: what was done on the host, by whom, and with which outcome.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { wholeNumberSchema } from "../request.ts";

const auditRecordSchema = z
  .object({
    id: z.int().describe("Grows with every entry; pass it as after to continue."),
    at: z.iso.datetime({ offset: true }),
    session: z
      .string()
      .describe(
        "The key of the session it happened in, which may be gone by now; empty where there was none.",
      ),
    turnId: z.string().optional(),
    what: z.enum([
      "command",
      "command-exit",
      "approval",
      "file-read",
      "file-write",
      "sign-in",
      "key",
      "app",
      "ticket",
      "policy",
      "option",
      "permission-rule",
      "refusal",
    ]),
    subject: z.string().describe("The command line, the path, or the name of what was changed."),
    cwd: z.string().optional(),
    by: z.string().describe("Who decided: a policy, a client, an app, the host."),
    verdict: z.enum(["allowed", "denied", "cancelled", "expired"]),
    outcome: z.string().optional().describe("The outcome, where it was known at once."),
    terminal: z.string().optional().describe("The terminal that a command runs in."),
    environment: z
      .array(z.string())
      .readonly()
      .optional()
      .describe("The names of the variables by which a command's environment differs from the usual one."),
    isolation: z.string().optional().describe("The isolation that a command ran under."),
    rule: z.string().optional().describe("The policy rule or stored permission that decided."),
  })
  .meta({ id: "AuditRecord", description: "One thing that was done, or was not allowed." });

/** One thing that was done, or was not allowed, with its place in the audit. */
export type AuditRecord = z.infer<typeof auditRecordSchema>;

const auditQuerySchema = z.object({
  after: wholeNumberSchema()
    .optional()
    .describe("The id after which to begin; without it, the newest entries are returned."),
  session: z.string().min(1).optional().describe("Only entries of the session with this key."),
  limit: wholeNumberSchema(LIMITS.auditEntries)
    .refine((count) => count > 0, { error: "must be at least 1" })
    .optional()
    .describe("The maximum number of entries; 100 if left out."),
});

/** Which entries of the audit are wanted. */
export type AuditQuery = z.output<typeof auditQuerySchema>;

export const listAudit = defineOperation({
  name: "listAudit",
  method: "GET",
  path: "/admin/audit",
  summary: "List what was done on the host, the oldest first",
  permission: "admin",
  query: auditQuerySchema,
  stream: false,
  response: successSchema({ entries: z.array(auditRecordSchema) }),
  errors: [],
});
