// Which actions are kept: all but those listed here, each with the reason.
import type { Action } from "@holdfast/ahp";

/** Actions that are published and not stored (D2). */
const transientTypes: Partial<Record<Action["type"], string>> = {
  "terminal/data": "the bytes go to the spool",
  "terminal/trimmed": "says what the ring in memory still holds",
  "terminal/input": "may be a password",
  "terminal/leftoversChanged": "the processes end with the host",
  "chat/draftChanged": "what is typed and not sent may have been pasted by mistake",
  "session/activityChanged": "describes only the current moment",
  "session/activeClientSet": "a connection ends with the host",
  "session/activeClientRemoved": "a connection ends with the host",
};

/**
 * Whether an action is to be there after a restart.
 * A stored state is what the durable actions alone lead to: none of them depends on a transient one.
 */
export function isDurable(action: Action): boolean {
  // The root lists what the sessions and terminals themselves say; the host rebuilds it.
  if (action.type.startsWith("root/")) return false;
  // Programs show progress in their titles, many times a second; a person's title is chosen to stay.
  if (action.type === "terminal/titleChanged") return action.source !== "program";
  return transientTypes[action.type] === undefined;
}
