// Performs what clients submit to a session, once the rules allow it: name it, take part, set options, close, delete.
import type { Action, JsonValue, RuntimeOptions, SessionUri } from "@holdfast/ahp";
import type { TerminalSpool } from "../ports.ts";
import { HOST_ONLY } from "../rules/rule.ts";
import { checkSessionAction } from "../rules/session-rules.ts";
import type { HostSession } from "../session/host-session.ts";
import type { Rights } from "../session/rights.ts";
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
  readonly rights: Rights;
  readonly spool: TerminalSpool | undefined;
  readonly now: () => Date;
}

export function submitToSession(
  { sessions, rights, now }: SessionExecutorDeps,
  session: HostSession,
  submitted: Action | Request,
  by: SubmittedBy,
): Submission | Promise<Submission> {
  const { actor, origin } = by;
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
    case "session/runtimeOptionsChanged":
      return rights
        .require(
          by,
          { folder: action.changes.cwd ?? undefined, policy: action.changes.approvalPolicy },
          session.key,
        )
        .then(() => patch(session, withoutEmpty(action.changes), origin), rejectionOf);
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
  changes: RuntimeOptions,
  origin: SubmittedBy["origin"],
): Promise<Submission> {
  return session.patch(changes, origin).then(accepted, rejectionOf);
}

/** Options are set one by one and never taken back: an empty one changes nothing. */
function withoutEmpty(changes: {
  readonly [Name in keyof RuntimeOptions]?: RuntimeOptions[Name] | null;
}): RuntimeOptions {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The agent's options are strings and booleans. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
