// Performs what clients submit to a session, once the rules allow it: name it, take part, set options, close, reopen, delete.
import type { Action, Changes, JsonValue, RuntimeOptions, SessionUri } from "@holdfast/ahp";
import type { Audit } from "../audit/audit.ts";
import { recordOptions } from "../audit/option-audit.ts";
import { ruleChange } from "../audit/rule-audit.ts";
import type { TerminalSpool } from "../ports.ts";
import { hostOnly } from "../rules/rule.ts";
import { checkSessionAction } from "../rules/session-rules.ts";
import type { HostSession, OptionChanges } from "../session/host-session.ts";
import type { Rights } from "../session/rights.ts";
import type { Sessions } from "../session/sessions.ts";
import { isChangesRequest, submitChanges } from "./changes-executor.ts";
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
  readonly rights: Rights;
  readonly spool: TerminalSpool | undefined;
  readonly audit: Audit;
  readonly now: () => Date;
}

export function submitToSession(
  { sessions, rights, audit, now }: SessionExecutorDeps,
  session: HostSession,
  submitted: Action | Request,
  by: SubmittedBy,
): Submission | Promise<Submission> {
  const { actor, origin } = by;
  if (isRequest(submitted)) {
    if (isChangesRequest(submitted)) return submitChanges({ rights, audit }, session, submitted, by);
    if (submitted.type !== "session/close") return rejected(hostOnly(submitted));
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
    case "session/activeClientRemoved":
    case "session/annotationSet":
    case "session/annotationRemoved":
      return accepted(session.dispatch({ to: "session", action }, origin));
    case "session/activeClientSet":
      return accepted(session.setActiveClient(action.client, origin));
    case "session/permissionRuleRemoved": {
      const rule = { id: action.id, subject: action.id };
      const entry = session.dispatch({ to: "session", action }, origin);
      if (entry !== undefined) audit.record(ruleChange(session.key, rule, actor, "removed"));
      return accepted(entry);
    }
    case "session/runtimeOptionsChanged":
      return rights
        .require(
          by,
          { folder: action.changes.cwd ?? undefined, policy: action.changes.approvalPolicy },
          session.key,
        )
        .then(() => patch(audit, session, withoutEmpty(action.changes), by), rejectionOf);
    case "session/modeChanged":
      return patch(audit, session, { runtimeMode: action.modeId }, by);
    case "session/configChanged": {
      const extras = Object.entries(action.config).map(([id, value]) => [id, textOf(value)] as const);
      return patch(audit, session, { extras: Object.fromEntries(extras) }, by);
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

/** Opens a closed session again; its policy is in force again, which is on record. */
export async function reopenSession(
  { sessions, audit }: SessionExecutorDeps,
  uri: SessionUri,
  by: SubmittedBy,
): Promise<Submission> {
  const isOpen = sessions.ofChannel(uri) !== undefined;
  const { key, state } = await sessions.reopen(uri, by);
  const { approvalPolicy } = state.runtimeOptions;
  const after = approvalPolicy === undefined ? {} : { approvalPolicy };
  if (!isOpen) recordOptions(audit, key, { before: {}, after, by: by.actor });
  return accepted(undefined, { uri });
}

/** A change that the agent has to accept takes a moment; what was changed is on record. */
export async function patch(
  audit: Audit,
  session: HostSession,
  changes: OptionChanges,
  { actor, origin }: SubmittedBy,
): Promise<Submission> {
  const before = session.state.runtimeOptions;
  try {
    const entry = await session.patch(changes, origin);
    recordOptions(audit, session.key, { before, after: changes, by: actor });
    return accepted(entry);
  } catch (error) {
    return rejectionOf(error);
  }
}

/** Options are set one by one; an empty one changes nothing, except that a policy can be removed. */
function withoutEmpty(changes: Changes<RuntimeOptions>): OptionChanges {
  const { approvalPolicy, ...others } = changes;
  const given = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
  return { ...Object.fromEntries(given), ...(approvalPolicy !== undefined && { approvalPolicy }) };
}

/** The agent's options are strings and booleans. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
