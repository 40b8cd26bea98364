// The last things that were done on the host.
import { useEffect, useState, type ReactNode } from "react";
import { hostFetch } from "../host/host-fetch.ts";
import style from "./host-page.module.css";

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
  const [entries, setEntries] = useState<readonly AuditEntry[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    const look = async (): Promise<void> => {
      try {
        const answer = await hostFetch("/admin/audit", stop.signal);
        const { entries: found } = (await answer.json()) as { readonly entries: readonly AuditEntry[] };
        setEntries(found.slice(-shown).toReversed());
      } catch {
        // The connection's own badge says that the host does not answer; the next look may find it again.
      }
    };
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, []);
  return (
    <section aria-label="Audit">
      <h2>What was done</h2>
      {entries.length === 0 && (
        <p className={style.hint}>
          Nothing yet. Every command, every permission and every written file is noted here.
        </p>
      )}
      <table className={style.audit}>
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
