// Features of an editor: the capabilities that it announces in `initialize`.
import { membersOf } from "./params.ts";

export interface EditorFeatures {
  /** Whether it shows terminals of the host by `_meta`, as Zed does. */
  readonly terminals: boolean;
  readonly notices: boolean;
  readonly booleanOptions: boolean;
  readonly forms: boolean;
  readonly links: boolean;
  /** Whether it reads and writes files, with what is not saved in it. */
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  /** Whether it runs commands in its terminals. */
  readonly runsCommands: boolean;
}

/** The features of a client; a member that has another form counts as left out. */
export function readFeatures(params: unknown): EditorFeatures {
  const capabilities = membersOf(membersOf(params)["clientCapabilities"]);
  const session = membersOf(capabilities["session"]);
  const elicitation = membersOf(capabilities["elicitation"]);
  const files = membersOf(capabilities["fs"]);
  return {
    terminals: membersOf(capabilities["_meta"])["terminal_output"] === true,
    notices: isOffered(session["notices"]),
    booleanOptions: isOffered(membersOf(session["configOptions"])["boolean"]),
    forms: isOffered(elicitation["form"]),
    links: isOffered(elicitation["url"]),
    readsFiles: isOffered(files["readTextFile"]),
    writesFiles: isOffered(files["writeTextFile"]),
    runsCommands: isOffered(capabilities["terminal"]),
  };
}

/** Support is an object or true; null and false are the same as nothing. */
function isOffered(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
