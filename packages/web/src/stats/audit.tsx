// Activity: the newest entries of the audit.
import type { ReactNode } from "react";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";
import { Row, Rows, Section } from "./section.tsx";

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
    <Section
      title="Activity"
      text={
        <>
          The newest {shown} entries of the audit. <code>holdfast audit</code> has all of them.
        </>
      }
    >
      {entries.length === 0 && (
        <p className={style.hint}>
          No activity yet. Commands, decisions, files and changed settings are recorded here.
        </p>
      )}
      <Rows label="Activity">
        {entries.map(({ id, at, what, subject, cwd, by, decision, verdict, ...entry }) => (
          <Row
            key={id}
            title={
              <>
                <span className={style.what} data-action="">
                  {what}
                </span>{" "}
                <code>{subject}</code>
              </>
            }
            detail={[
              cwd === undefined ? undefined : `in ${cwd}`,
              `${decision ?? verdict ?? "done"} by ${by}`,
              entry.outcome,
              detailsOf(entry),
            ]
              .filter((part) => part !== undefined && part !== "")
              .join(" · ")}
            actions={
              <time className={style.at} dateTime={at} title={new Date(at).toLocaleString()}>
                {new Date(at).toLocaleTimeString()}
              </time>
            }
          />
        ))}
      </Rows>
    </Section>
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
