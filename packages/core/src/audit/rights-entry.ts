// Audit entries about rights: credentials that were made, used, refused or ended.
import type { AuditEntry, AuditSubject } from "./audit.ts";

/** A change or a refusal of rights. */
export interface RightsChange {
  readonly what: AuditSubject;
  readonly subject: string;
  readonly by: string;
  readonly outcome?: string | undefined;
  /** The session that it was about; empty for none. */
  readonly session?: string | undefined;
  readonly cwd?: string | undefined;
  readonly isRefused?: boolean | undefined;
}

/** The entry for the audit. */
export function rightsEntry({
  session = "",
  isRefused = false,
  ...change
}: RightsChange): Omit<AuditEntry, "at"> {
  return { session, ...change, decision: isRefused ? "denied" : "allowed" };
}
