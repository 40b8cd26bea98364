// Activity: the newest entries of the audit log.
import type { ReactNode } from "react";
import { clockWords, durationWords } from "../frame/time-words.ts";
import { useHost, useRoot } from "../host/use-host.ts";
import { sessionName } from "../session/session-words.ts";
import { actorText, kindLabel, subjectText } from "./audit-words.ts";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";
import { Row, Rows, Section } from "./section.tsx";

interface AuditEntry {
  readonly id: number;
  readonly at: string;
  /** The key of its session; empty where there was none. */
  readonly session: string;
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
  const entries = useRepeatedly("/admin/audit", everyMs, readEntries);
  const { clientId } = useHost();
  const sessions = useRoot()?.sessions ?? [];
  const nameOf = (key: string): string | undefined => {
    const session = sessions.find((each) => each.key === key);
    return session === undefined ? undefined : sessionName(session);
  };
  return (
    <Section
      title="Activity"
      text={
        <>
          The newest {shown} entries of the audit log. Run <code>holdfast audit</code> to see all of them.
        </>
      }
    >
      {entries === undefined && <p className={style.hint}>Loading the activity…</p>}
      {entries?.length === 0 && (
        <p className={style.hint}>
          No activity yet. Commands, decisions, files and changed settings are recorded here.
        </p>
      )}
      <Rows label="Activity">
        {entries?.map(({ id, at, session, what, subject, cwd, by, decision, verdict, ...entry }) => (
          <Row
            key={id}
            title={
              <>
                <span className={style.what} data-action="">
                  {kindLabel(what)}
                </span>{" "}
                <code>{subjectText(what, subject)}</code>
              </>
            }
            detail={[
              nameOf(session),
              cwd === undefined ? undefined : `in ${cwd}`,
              `${decision ?? verdict ?? "done"} by ${actorText(by, clientId)}`,
              entry.outcome,
              detailsOf(entry),
            ]
              .filter((part) => part !== undefined && part !== "")
              .join(" · ")}
            actions={
              <time className={style.at} dateTime={at} title={new Date(at).toLocaleString()}>
                {clockWords(at)}
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
    durationMs === undefined ? undefined : durationWords(durationMs),
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
