// Puts on record that a limit stopped a command.
import { limitOutcome } from "@holdfast/ahp";
import type { Audit, AuditEntry } from "../audit/audit.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";

/** Records the limit that a command runs into, once it does; the command itself is on record already. */
export function auditLimit(
  audit: Audit,
  terminal: HostTerminal,
  entry: Pick<AuditEntry, "session" | "turnId" | "subject" | "cwd">,
  onFault: (error: unknown) => void,
): void {
  const record = (): void => {
    const { exit } = terminal;
    if (exit === undefined || exit.kind === "unknown" || exit.limit === undefined) return;
    const outcome = limitOutcome(exit.limit);
    audit.record({
      ...entry,
      what: "command-exit",
      terminal: terminal.id,
      by: "host",
      verdict: "allowed",
      outcome,
    });
  };
  terminal.exited.then(record).catch(onFault);
}
