// The last things that were done on the host.
import type { ReactNode } from "react";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";

interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly what: string;
  readonly subject: string;
  readonly cwd?: string;
  readonly by: string;
  readonly decision?: string;
  /** The decision in entries of earlier versions. */
  readonly verdict?: string;
  readonly outcome?: string;
  readonly durationMs?: number;
  readonly environment?: readonly string[];
  readonly isolation?: string;
  readonly rule?: string;
}

const shown = 40;
const everyMs = 5000;

export function AuditTail(): ReactNode {
  const entries = useRepeatedly("/admin/audit", everyMs, readEntries) ?? [];
  return (
    <section aria-label="Audit">
      <h2>Activity</h2>
      {entries.length === 0 && (
        <p className={style.hint}>
          No activity yet. Commands, decisions, files and changed settings are recorded here.
        </p>
      )}
      <table className={style.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Action</th>
            <th scope="col">Target</th>
            <th scope="col">Decision</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, what, subject, cwd, by, decision, verdict, ...entry }) => (
            <tr key={id}>
              <td>
                <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time>
              </td>
              <td className={style.word}>{what}</td>
              <td className={style.target}>
                <code>{subject}</code>
                {cwd !== undefined && <span className={style.hint}> in {cwd}</span>}
              </td>
              <td className={style.target}>
                {decision ?? verdict} <span className={style.hint}>by {by}</span>
              </td>
              <td className={style.target}>
                {entry.outcome} <span className={style.hint}>{detailsOf(entry)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** How long it took, what it ran with, and the rule that decided; most entries have none of it. */
function detailsOf({ durationMs, environment, isolation, rule }: Partial<AuditEntry>): string {
  const details = [
    durationMs === undefined ? undefined : `${durationMs} ms`,
    environment === undefined ? undefined : `variables: ${environment.join(", ")}`,
    isolation === undefined ? undefined : `isolation: ${isolation}`,
    rule === undefined ? undefined : `rule: ${rule}`,
  ];
  return details.filter((detail) => detail !== undefined).join(" · ");
}

function readEntries(answer: unknown): readonly AuditEntry[] {
  const { entries } = answer as { readonly entries: readonly AuditEntry[] };
  return entries.slice(-shown).toReversed();
}
