// The operation on the audit: what was done on the host, by whom, and with which outcome.
import { z } from "zod";
import { successSchema } from "../envelope.ts";
import { LIMITS } from "../limits.ts";
import { defineOperation } from "../operation.ts";
import { wholeNumberSchema } from "../request.ts";

/** The subjects of the audit, as entries name them. */
const subjects = [
  "command",
  "command-exit",
  "agent-exit",
  "approval",
  "file-read",
  "file-write",
  "revert",
  "stage",
  "unstage",
  "commit",
  "sign-in",
  "key",
  "app",
  "ticket",
  "policy",
  "option",
  "permission-rule",
  "refusal",
] as const;

const subjectSchema = z.enum(subjects);

const decisionSchema = z.enum(["allowed", "denied", "cancelled", "expired", "reported"]);

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
    what: subjectSchema,
    subject: z.string().describe("The command line, the path, or the name of what was changed."),
    cwd: z.string().optional(),
    by: z.string().describe("Who decided: a policy, a client, an app, the host."),
    decision: decisionSchema
      .optional()
      .describe(
        "reported: the agent did it itself and reported it; the host decided nothing. Absent in entries of earlier versions, which have it as verdict.",
      ),
    verdict: decisionSchema
      .optional()
      .describe("The decision in entries of earlier versions: an entry stays as it was hashed."),
    outcome: z
      .string()
      .optional()
      .describe("The outcome, where it was known at once. A command is started; its end is a command-exit."),
    exitCode: z.int().optional().describe("How a command ended, unless it was by a signal."),
    signal: z.string().optional().describe("The signal that ended a command."),
    durationMs: z.int().optional().describe("How long a command ran, in milliseconds."),
    limit: z.string().optional().describe("The limit that ended a command or an agent."),
    terminal: z.string().optional().describe("The terminal that a command runs in."),
    environment: z
      .array(z.string())
      .readonly()
      .optional()
      .describe("The names of the variables by which a command's environment differs from the usual one."),
    isolation: z.string().optional().describe("The isolation that a command ran under."),
    rule: z.string().optional().describe("The policy rule or stored permission that decided."),
    hash: z
      .string()
      .optional()
      .describe(
        "SHA-256 of the hash before, a line feed, and this entry without its hash as canonical JSON.",
      ),
  })
  .meta({ id: "AuditRecord", description: "One thing that was done, or was not allowed." });

/** One thing that was done, or was not allowed, with its place in the audit. */
export type AuditRecord = z.infer<typeof auditRecordSchema>;

const auditQuerySchema = z.object({
  after: wholeNumberSchema()
    .optional()
    .describe("The id after which to begin; without it, the newest entries are returned."),
  session: z.string().min(1).optional().describe("Only entries of the session with this key."),
  what: subjectSchema.optional().describe("Only entries of this kind."),
  since: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("Only entries recorded at this moment or later."),
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
  summary: "List the entries of the audit, oldest first",
  permission: "admin",
  query: auditQuerySchema,
  stream: false,
  response: successSchema({ entries: z.array(auditRecordSchema) }),
  errors: [],
});

const chainLinkSchema = z.object({
  id: z.int().describe("The id of an entry; 0 before the first."),
  hash: z.string().describe("The hash of that entry, in hexadecimal; zeros before the first."),
});

/** A place in the audit's chain of hashes. */
export type AuditLink = z.infer<typeof chainLinkSchema>;

const chainSchema = z.object({
  anchor: chainLinkSchema.describe("Where the chain begins: the entry that retention removed last."),
  head: chainLinkSchema.describe("The newest entry. Note it elsewhere to recognize a rewritten audit."),
});

/** The ends of the audit's chain of hashes. */
export type AuditChain = z.infer<typeof chainSchema>;

export const getAuditChain = defineOperation({
  name: "getAuditChain",
  method: "GET",
  path: "/admin/audit/chain",
  summary: "Get both ends of the audit's chain of hashes",
  permission: "admin",
  stream: false,
  response: successSchema({ chain: chainSchema }),
  errors: [],
});
