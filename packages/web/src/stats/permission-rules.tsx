// The list of standing permissions, with a button to take each back.
import { type ReactNode, useState } from "react";
import { visibleText } from "../approval/visible-text.ts";
import { hostFetch } from "../host/host-fetch.ts";
import { useHost } from "../host/use-host.ts";
import control from "../style/control.module.css";
import style from "./host-page.module.css";
import { useRepeatedly } from "./polling.ts";

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
      }
    | { readonly kind: "write"; readonly files: readonly { readonly path: string }[] };
}

const everyMs = 5000;

export function PermissionRules(): ReactNode {
  const host = useHost();
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const listed = useRepeatedly("/sdk/acp/permission-rules", everyMs, readRules) ?? [];
  const rules = listed.filter(({ id }) => !removed.includes(id));
  const remove = async (id: string): Promise<void> => {
    const path = `/sdk/acp/permission-rules/${encodeURIComponent(id)}`;
    if (await host.reportFailure(hostFetch(path, undefined, "DELETE"))) setRemoved([...removed, id]);
  };
  if (rules.length === 0) return null;
  return (
    <section aria-label="Always allowed">
      <h2>Always allowed</h2>
      <table className={style.table}>
        <thead>
          <tr>
            <th scope="col">Action</th>
            <th scope="col">Where</th>
            <th scope="col">Agent</th>
            <th scope="col">Remove</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <tr key={rule.id}>
              <td className={style.target}>
                <code>{visibleText(allowedText(rule))}</code>
              </td>
              <td className={style.target}>{rule.folder ?? "one session"}</td>
              <td>{rule.agent_id}</td>
              <td>
                <button
                  type="button"
                  className={control.small}
                  aria-label={`Remove: ${allowedText(rule)}`}
                  onClick={() => void remove(rule.id)}
                >
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function allowedText({ subject }: Rule): string {
  if (subject.kind === "write") return `write ${subject.files.map(({ path }) => path).join(", ")}`;
  const { line = "", cwd, environment } = subject;
  const changes = environment.map(({ name, value }) =>
    value === undefined ? `${name} unset` : `${name}=${value}`,
  );
  return `${line} in ${cwd}${changes.length === 0 ? "" : ` with ${changes.join(", ")}`}`;
}

function readRules(answer: unknown): readonly Rule[] {
  return (answer as { readonly rules: readonly Rule[] }).rules;
}
