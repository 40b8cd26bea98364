// The entries of a command: one when it has started, one when it has ended, both with the id of its terminal.
import { limitOutcome } from "@holdfast/ahp";
import type { TerminalExit } from "@holdfast/terminal/terminal";
import { describeLimit } from "../limit/limit-kind.ts";
import type { AuditTrail } from "../ports.ts";
import type { Audit, AuditEntry } from "./audit.ts";

/** A command that runs. */
interface StartedCommand {
  readonly id: string;
  readonly exited: Promise<TerminalExit>;
}

/** Records that a command has started, which may throw, and its exit when there is one. */
export function recordCommand(
  audit: Audit,
  entry: Omit<AuditEntry, "at" | "what">,
  { id, exited }: StartedCommand,
  onFault: (error: unknown) => void,
): void {
  audit.record({ ...entry, what: "command", terminal: id, outcome: "started" });
  exited
    .then((exit) => audit.record({ ...entry, what: "command-exit", terminal: id, ...describeExit(exit) }))
    .catch(onFault);
}

/** How far back the start of a command is looked for that ended with an earlier host. */
const maxLookedAt = 10_000;

/** An entry as it was recorded: versions before named the decision `verdict` (A714). */
type KeptEntry = Omit<AuditEntry, "decision"> & {
  readonly decision?: AuditEntry["decision"];
  readonly verdict?: AuditEntry["decision"];
};

/** Records the end of commands that an earlier host left running, each as it was started. */
export function recordLostCommands(
  audit: Audit,
  trail: Pick<AuditTrail, "read">,
  terminalIds: readonly string[],
): void {
  if (terminalIds.length === 0) return;
  const lost = new Set(terminalIds);
  const isLost = ({ terminal }: AuditEntry): boolean => terminal !== undefined && lost.has(terminal);
  const starts = trail.read({ what: "command", limit: maxLookedAt }).map(({ entry }) => entry);
  for (const { at: _, verdict: earlier, ...entry } of starts.filter(isLost) as readonly KeptEntry[]) {
    audit.record({
      ...entry,
      decision: entry.decision ?? earlier ?? "allowed",
      what: "command-exit",
      outcome: "unknown: the host was restarted",
    });
  }
}

type ExitMembers = Pick<AuditEntry, "outcome" | "exitCode" | "signal" | "durationMs" | "limit">;

function describeExit({ exitCode, signal, durationMs, limit }: TerminalExit): ExitMembers {
  const members = {
    durationMs: Math.round(durationMs),
    ...(exitCode !== null && { exitCode }),
    ...(signal !== null && { signal }),
  };
  if (limit !== undefined) {
    return { ...members, limit: limit.name, outcome: limitOutcome(describeLimit(limit)) };
  }
  if (exitCode !== null) return { ...members, outcome: `exit code ${exitCode}` };
  return { ...members, outcome: signal === null ? "unknown: nobody saw its end" : `signal ${signal}` };
}
