// The last things that were done on the host.
import type { ReactNode } from "react";
import style from "./host-page.module.css";
import { useRepeatedly } from "./use-repeatedly.ts";

interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly what: string;
  readonly subject: string;
  readonly cwd?: string;
  readonly by: string;
  readonly verdict: string;
}

const shown = 40;
const everyMs = 5000;

/** A table, the newest first. */
export function AuditTail(): ReactNode {
  const entries = useRepeatedly("/admin/audit", everyMs, readEntries) ?? [];
  return (
    <section aria-label="Audit">
      <h2>What was done</h2>
      {entries.length === 0 && (
        <p className={style.hint}>
          Nothing yet. Every command, every permission and every written file is noted here.
        </p>
      )}
      <table className={style.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What</th>
            <th scope="col">On what</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, what, subject, cwd, by, verdict }) => (
            <tr key={id}>
              <td>
                <time dateTime={at}>{new Date(at).toLocaleTimeString()}</time>
              </td>
              <td>{what}</td>
              <td>
                <code>{subject}</code>
                {cwd !== undefined && <span className={style.hint}> in {cwd}</span>}
              </td>
              <td>
                {verdict} <span className={style.hint}>by {by}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function readEntries(answer: unknown): readonly AuditEntry[] {
  const { entries } = answer as { readonly entries: readonly AuditEntry[] };
  return entries.slice(-shown).toReversed();
}
