// Permissions: what is always allowed, with a button to take each back, and the rules of the policy file.
import { type ReactNode, useState } from "react";
import { visibleText } from "../approval/visible-text.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost } from "../host/use-host.ts";
import { Button } from "../ui/button.tsx";
import { Fold } from "../ui/fold.tsx";
import { Notice } from "../ui/notice.tsx";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";
import { Row, Rows, Section } from "./section.tsx";

/** A rule, as the host lists it; only the fields that the page shows. */
interface Rule {
  readonly id: string;
  readonly session_key?: string;
  readonly folder?: string;
  readonly agent_id: string;
  readonly subject:
    | {
        readonly kind: "command";
        readonly line?: string;
        readonly cwd: string;
        readonly environment: readonly { readonly name: string; readonly value?: string }[];
        readonly isolation?: string;
      }
    | { readonly kind: "write"; readonly files: readonly { readonly path: string }[] };
}

const everyMs = 5000;

export function PermissionsSection(): ReactNode {
  return (
    <>
      <AlwaysAllowed />
      <PolicyRules />
    </>
  );
}

function AlwaysAllowed(): ReactNode {
  const host = useHost();
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const listed = useRepeatedly("/sdk/acp/permission-rules", everyMs, readRules);
  const rules = listed?.filter(({ id }) => !removed.includes(id));
  const remove = async (id: string): Promise<void> => {
    const path = `/sdk/acp/permission-rules/${encodeURIComponent(id)}`;
    if (await host.reportFailure(hostFetch(path, undefined, "DELETE"))) setRemoved([...removed, id]);
  };
  return (
    <Section
      title="Always allowed"
      text="Commands and files that agents may use without asking, in a session or a folder."
    >
      {rules?.length === 0 && (
        <p className={style.hint}>
          Nothing is always allowed yet. Choose “Always allow” in an approval to add a rule.
        </p>
      )}
      <Rows label="Always allowed">
        {rules?.map((rule) => (
          <Row
            key={rule.id}
            title={<code>{visibleText(allowedText(rule))}</code>}
            detail={`${rule.folder === undefined ? "in one session" : `in ${rule.folder}`} · ${rule.agent_id}`}
            actions={
              <Button
                size="small"
                aria-label={`Remove: ${allowedText(rule)}`}
                onClick={() => void remove(rule.id)}
              >
                Remove
              </Button>
            }
          />
        ))}
      </Rows>
    </Section>
  );
}

interface PolicyInForce {
  readonly file?: string;
  readonly sets: readonly {
    readonly source: string;
    readonly rules: readonly Readonly<Record<string, unknown>>[];
    readonly otherwise?: string;
  }[];
  readonly problem?: string;
}

/** The rules of the policy file, as it writes them. */
function PolicyRules(): ReactNode {
  const policy = useRepeatedly("/admin/policy", everyMs, readPolicy);
  if (policy === undefined) return null;
  return (
    <Section
      title="Policy file"
      text={policy.file ?? "This host has none; the policy of each session decides."}
    >
      {policy.problem !== undefined && (
        <Notice kind="attention" title="Not in force">
          {policy.problem}
        </Notice>
      )}
      {policy.sets.map(({ source, rules, otherwise }) => (
        <Fold
          key={source}
          summary={`${source}: ${rules.length} ${rules.length === 1 ? "rule" : "rules"}${otherwise === undefined ? "" : `, otherwise ${otherwise}`}`}
        >
          <pre className={style.rules} tabIndex={0}>
            {rules.map((rule) => JSON.stringify(rule)).join("\n")}
          </pre>
        </Fold>
      ))}
    </Section>
  );
}

function readPolicy(answer: unknown): PolicyInForce {
  return (answer as { readonly policy: PolicyInForce }).policy;
}

function allowedText({ subject }: Rule): string {
  if (subject.kind === "write") return `write ${subject.files.map(({ path }) => path).join(", ")}`;
  const { line = "", cwd, environment, isolation } = subject;
  const changes = environment.map(({ name, value }) =>
    value === undefined ? `${name} unset` : `${name}=${value}`,
  );
  const changed = changes.length === 0 ? "" : ` with ${changes.join(", ")}`;
  return `${line} in ${cwd}${changed}${isolation === undefined ? "" : ` (${isolation})`}`;
}

function readRules(answer: unknown): readonly Rule[] {
  return (answer as { readonly rules: readonly Rule[] }).rules;
}
