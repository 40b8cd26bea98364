// Performs what clients submit to a session, once the rules allow it: name it, take part, set options, close, delete.
import type { Action, Changes, JsonValue, RuntimeOptions, SessionUri } from "@holdfast/ahp";
import { type Audit, ruleChange } from "../audit/audit.ts";
import type { TerminalSpool } from "../ports.ts";
import { HOST_ONLY } from "../rules/rule.ts";
import { checkSessionAction } from "../rules/session-rules.ts";
import type { HostSession, OptionChanges } from "../session/host-session.ts";
import type { Sessions } from "../session/sessions.ts";
import {
  type Request,
  type Submission,
  type SubmittedBy,
  accepted,
  isRequest,
  rejected,
  rejectionOf,
} from "./submission.ts";

export interface SessionExecutorDeps {
  readonly sessions: Sessions;
  readonly spool: TerminalSpool | undefined;
  readonly audit: Audit;
  readonly now: () => Date;
}

export function submitToSession(
  { sessions, now, audit }: SessionExecutorDeps,
  session: HostSession,
  submitted: Action | Request,
  { actor, origin }: SubmittedBy,
): Submission | Promise<Submission> {
  if (isRequest(submitted)) {
    if (submitted.type !== "session/close") return rejected(HOST_ONLY);
    return sessions.close(session, actor, submitted.reason).then(() => accepted());
  }
  const author = { actor, at: now().toISOString() };
  const ruling = checkSessionAction(submitted, session.state, author);
  if (!ruling.allowed) return rejected(ruling);
  const { action } = ruling;
  switch (action.type) {
    case "session/titleChanged":
    case "session/labelChanged":
    case "session/isReadChanged":
    case "session/isArchivedChanged":
    case "session/activeClientSet":
    case "session/activeClientRemoved":
      return accepted(session.dispatch({ to: "session", action }, origin));
    case "session/permissionRuleRemoved": {
      const rule = { id: action.id, subject: action.id };
      const entry = session.dispatch({ to: "session", action }, origin);
      if (entry !== undefined) audit.record(ruleChange(session.key, rule, actor, "removed"));
      return accepted(entry);
    }
    case "session/runtimeOptionsChanged":
      return patch(session, withoutEmpty(action.changes), origin);
    case "session/modeChanged":
      return patch(session, { runtimeMode: action.modeId }, origin);
    case "session/configChanged": {
      const extras = Object.entries(action.config).map(([id, value]) => [id, textOf(value)] as const);
      return patch(session, { extras: Object.fromEntries(extras) }, origin);
    }
    default:
      throw new Error(`No executor for ${action.type}`);
  }
}

/** Removes what is stored of a session, open or not, with the output of its terminals. */
export async function deleteSession(
  { sessions, spool }: SessionExecutorDeps,
  uri: SessionUri,
  { actor }: SubmittedBy,
): Promise<Submission> {
  for (const terminal of await sessions.delete(uri, actor)) await spool?.remove(terminal);
  return accepted();
}

/** A change that the agent has to accept takes a moment. */
async function patch(
  session: HostSession,
  changes: OptionChanges,
  origin: SubmittedBy["origin"],
): Promise<Submission> {
  return session.patch(changes, origin).then(accepted, rejectionOf);
}

/** Options are set one by one; an empty one changes nothing, except that a policy can be taken back. */
function withoutEmpty(changes: Changes<RuntimeOptions>): OptionChanges {
  const { approvalPolicy, ...others } = changes;
  const given = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
  return { ...Object.fromEntries(given), ...(approvalPolicy !== undefined && { approvalPolicy }) };
}

/** The agent's options are strings and booleans. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
