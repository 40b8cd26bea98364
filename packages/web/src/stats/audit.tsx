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
  readonly verdict: string;
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
          No activity yet. Every command, every decision and every written file is recorded here.
        </p>
      )}
      <table className={style.table}>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Action</th>
            <th scope="col">Target</th>
            <th scope="col">Decision</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ id, at, what, subject, cwd, by, verdict }) => (
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
