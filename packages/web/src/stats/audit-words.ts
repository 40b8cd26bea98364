// Labels for the entries of the audit log.
import { policyName } from "../session/session-words.ts";

const kinds: Readonly<Record<string, string>> = {
  command: "Command",
  "command-exit": "Command ended",
  "agent-exit": "Agent ended",
  approval: "Approval",
  "file-read": "Read file",
  "file-write": "Write file",
  revert: "Revert",
  stage: "Stage",
  unstage: "Unstage",
  commit: "Commit",
  "sign-in": "Sign-in",
  key: "API key",
  app: "App",
  ticket: "Ticket",
  policy: "Permissions",
  option: "Setting",
  "permission-rule": "Permission rule",
  refusal: "Refused",
};

/** The label of an entry's kind. */
export function kindLabel(what: string): string {
  return kinds[what] ?? what;
}

/** The subject of an entry: policies by the labels of the page, browsers without the id of their sign-in. */
export function subjectText(what: string, subject: string): string {
  if (what === "sign-in") return subject.replace(/^[0-9a-f]{16} /, "");
  const change = what === "policy" ? /^approvalPolicy: (\S+) → (\S+)$/.exec(subject) : null;
  if (change === null) return subject;
  const [, before = "", after = ""] = change;
  return `${policyName(before)} → ${policyName(after)}`;
}

/** The source of a decision; `ownClient` is this page. */
export function actorText(by: string, ownClient: string): string {
  const [kind = "", ...others] = by.split(" ");
  const name = others.join(" ");
  if (kind === "policy") return `permissions “${policyName(name)}”`;
  if (by === "host") return "the host";
  if (by === "expiry") return "timeout";
  if (kind !== "client") return by;
  if (name === ownClient) return "this page";
  // Clients choose their ids, so a label never takes the place of one.
  const short = name.length > 12 ? `${name.slice(0, 12)}…` : name;
  if (name.startsWith("page-") || name.startsWith("sign-in:")) return `browser ${short}`;
  return name.startsWith("cli-") ? `command line ${short}` : by;
}
