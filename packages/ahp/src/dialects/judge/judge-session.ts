// Which actions of a client a session can take.
import type { Action } from "../../model/channel.ts";
import type { SessionState } from "../../model/session/session.ts";
import { chooseValues, type ConfigValues } from "../../model/session/settings.ts";
import type { Verdict } from "../dialect.ts";
import { accept, HOST_ONLY, refuse, type Author } from "./verdict.ts";

/** Judges an action on a session. */
export function judgeSession(action: Action, session: SessionState, { clientId }: Author): Verdict {
  switch (action.type) {
    case "session/titleChanged":
    case "session/labelChanged":
    case "session/isReadChanged":
    case "session/isArchivedChanged":
    case "session/runtimeOptionsChanged":
      return accept(action);
    case "session/activeClientSet":
      return action.client.clientId === clientId
        ? accept(action)
        : refuse("A client can only announce itself.");
    case "session/activeClientRemoved":
      return action.clientId === clientId ? accept(action) : refuse("A client can only take itself away.");
    case "session/modeChanged": {
      const isOffered = session.modes?.available.some(({ id }) => id === action.modeId) ?? false;
      return isOffered ? accept(action) : refuse(`The agent has no mode ${JSON.stringify(action.modeId)}.`);
    }
    case "session/configChanged": {
      const problem = configProblem(session, action.config);
      return problem === undefined ? accept(action) : refuse(problem);
    }
    default:
      return HOST_ONLY;
  }
}

function configProblem({ configOptions }: SessionState, values: ConfigValues): string | undefined {
  for (const [id, value] of Object.entries(values)) {
    const option = configOptions.find((candidate) => candidate.id === id);
    if (!option) return `The agent has no option ${JSON.stringify(id)}.`;
    const [chosen] = chooseValues([option], { [id]: value });
    if (chosen?.currentValue !== value) return `The option ${JSON.stringify(id)} cannot take that value.`;
  }
  return undefined;
}
