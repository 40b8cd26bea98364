// Carries out what clients do to a session: name it, take part in it, set its options.
import type { Action, JsonValue, RuntimeOptions } from "@holdfast/ahp";
import type { LogEntry, ActionOrigin } from "../channel/log-entry.ts";
import type { Submission } from "../terminal/terminal-desk.ts";
import type { HostSession } from "./host-session.ts";
import { rejectionOf } from "./rejection.ts";

/** Does what an action of a client says; what the agent has to agree to takes a moment. */
export function submitSessionAction(
  session: HostSession,
  action: Action,
  origin: ActionOrigin,
): Submission | Promise<Submission> {
  switch (action.type) {
    case "session/titleChanged":
    case "session/labelChanged":
    case "session/isReadChanged":
    case "session/isArchivedChanged":
    case "session/activeClientSet":
    case "session/activeClientRemoved": {
      const asked = { uri: session.uri, type: action.type, origin };
      return accepted(session.hub.attribute(asked, () => session.dispatch({ to: "session", action })));
    }
    case "session/runtimeOptionsChanged":
      return set(session, withoutEmpty(action.changes), origin);
    case "session/modeChanged":
      return set(session, { runtimeMode: action.modeId }, origin);
    case "session/configChanged": {
      const extras = Object.entries(action.config).map(([id, value]) => [id, textOf(value)] as const);
      return set(session, { extras: Object.fromEntries(extras) }, origin);
    }
    default:
      return { outcome: "rejected", reason: "Clients cannot do this to a session." };
  }
}

function accepted(entry: LogEntry | undefined): Submission {
  return { outcome: "accepted", ...(entry !== undefined && { entry }) };
}

async function set(session: HostSession, changes: RuntimeOptions, origin: ActionOrigin): Promise<Submission> {
  const asked = { uri: session.uri, type: "session/runtimeOptionsChanged", origin } as const;
  let entry: LogEntry | undefined;
  try {
    await session.patch(changes, (tell) => {
      entry = session.hub.attribute(asked, tell);
    });
  } catch (error) {
    return rejectionOf(error);
  }
  return accepted(entry);
}

/** Options are set one by one and never taken back: what is empty changes nothing. */
function withoutEmpty(changes: {
  readonly [Name in keyof RuntimeOptions]?: RuntimeOptions[Name] | null;
}): RuntimeOptions {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** The agent's options are words, or yes and no. */
function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
