// Audit entries of standing permissions that were created or removed.
import type { Actor } from "@holdfast/ahp";
import { ALLOWED, type AuditEntry } from "./audit.ts";
import { describeActor } from "./describe-actor.ts";

export function ruleChange(
  session: string,
  { id, subject }: { readonly id: string; readonly subject: string },
  by: Actor,
  outcome: string,
): Omit<AuditEntry, "at"> {
  return { session, what: "permission-rule", subject, by: describeActor(by), ...ALLOWED, outcome, rule: id };
}
