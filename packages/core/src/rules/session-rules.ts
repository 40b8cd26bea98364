// Rules for what clients change in a session: names, flags, options, who takes part.
import {
  type Action,
  type Annotation,
  type ConfigValues,
  type SessionState,
  chooseValues,
} from "@holdfast/ahp";
import { LIMITS } from "@holdfast/protocol";
import { lentToolsProblem } from "../editor/lent-tool.ts";
import { type Author, hostOnly, type Ruling, allow, clientIdOf, reject } from "./rule.ts";

export function checkSessionAction(action: Action, session: SessionState, { actor }: Author): Ruling {
  switch (action.type) {
    case "session/titleChanged":
      return checkName("title", action.title) ?? allow(action);
    case "session/labelChanged":
      return checkName("label", action.label ?? "") ?? allow(action);
    case "session/isReadChanged":
    case "session/isArchivedChanged":
    case "session/runtimeOptionsChanged":
      return allow(action);
    case "session/annotationSet":
      return checkAnnotation(action.annotation, session);
    case "session/annotationRemoved":
      return allow(action);
    case "session/permissionRuleRemoved": {
      const isThere = session.permissionRules?.some(({ id }) => id === action.id) ?? false;
      return isThere ? allow(action) : reject("There is no such permission in this session.", "NOT_FOUND");
    }
    case "session/activeClientSet":
      return checkActiveClient(action, actor);
    case "session/activeClientRemoved":
      return action.clientId === clientIdOf(actor)
        ? allow(action)
        : reject("A client can only remove itself.");
    case "session/modeChanged": {
      const isOffered = session.modes?.available.some(({ id }) => id === action.modeId) ?? false;
      return isOffered ? allow(action) : reject(`The agent has no mode ${JSON.stringify(action.modeId)}.`);
    }
    case "session/configChanged": {
      const problem = configProblem(session, action.config);
      return problem === undefined ? allow(action) : reject(problem);
    }
    default:
      return hostOnly(action);
  }
}

/** Everyone in the session gets the descriptions of the tools, and its agent does (E823). */
export function checkActiveClient(
  action: Extract<Action, { type: "session/activeClientSet" }>,
  actor: Author["actor"],
): Ruling {
  const { clientId, tools } = action.client;
  if (clientId !== clientIdOf(actor)) return reject("A client can only announce itself.");
  const problem = lentToolsProblem(tools);
  return problem === undefined ? allow(action) : reject(problem);
}

const maxAnnotations = 500;
const maxEntries = 100;
const maxAnnotationBytes = 64 * 1024;

/** Annotations are stored for good, so they have bounds (E787). */
function checkAnnotation(annotation: Annotation, { annotations = [] }: SessionState): Ruling {
  const { id, entries } = annotation;
  const isNew = !annotations.some((each) => each.id === id);
  if (entries.length === 0) {
    return reject("An annotation has at least one entry. Remove the annotation instead.");
  }
  if (entries.length > maxEntries) return reject(`An annotation has at most ${maxEntries} entries.`);
  if (Buffer.byteLength(JSON.stringify(annotation)) > maxAnnotationBytes) {
    return reject(`An annotation has at most ${maxAnnotationBytes} bytes.`);
  }
  if (isNew && annotations.length >= maxAnnotations) {
    return reject(`A session has at most ${maxAnnotations} annotations. Remove one first.`);
  }
  return allow({ type: "session/annotationSet", annotation });
}

/** The same bound as over HTTP (R19). */
function checkName(what: string, name: string): Ruling | undefined {
  const most = LIMITS.labelLength;
  return name.length > most ? reject(`A session's ${what} has at most ${most} characters.`) : undefined;
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
