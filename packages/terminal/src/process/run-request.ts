// The check of a run request, which names the field that is wrong (T5).
import { isAbsolute } from "node:path";
import { checkCommandSize, type CommandStrings } from "../command-size.ts";
import { invalidRequest } from "../terminal-error.ts";
import { checkLimits, checkScopes, limitingScopes } from "./limits.ts";
import type { LimitScope, RunKind, RunLimits, RunRequest, TreeChoice } from "./port.ts";

const kinds: readonly RunKind[] = ["text", "tty", "stdio"];
const treeChoices: readonly TreeChoice[] = ["auto", "cgroup", "pid-namespace", "process-group"];

/** A request that was found to be good. */
export interface CheckedRequest {
  readonly limits: RunLimits;
  readonly scopes: readonly LimitScope[];
  readonly sizeBytes: number;
}

/** Refuses a request that no system could run, naming the field. */
export function checkRunRequest(request: RunRequest): CheckedRequest {
  if (!kinds.includes(request.kind)) throw invalidRequest("kind", `one of ${kinds.join(", ")}`);
  checkText("command", request.command);
  if (request.command.trim() === "") {
    throw invalidRequest("command", "a program or a command line, not empty");
  }
  if (request.args !== undefined && !Array.isArray(request.args)) {
    throw invalidRequest("args", "an array of strings");
  }
  request.args?.forEach((arg, index) => checkText(`args[${index}]`, arg));
  checkText("cwd", request.cwd);
  if (!isAbsolute(request.cwd)) {
    throw invalidRequest("cwd", `an absolute path, not ${JSON.stringify(request.cwd)}`);
  }
  if (request.tree !== undefined && !treeChoices.includes(request.tree)) {
    throw invalidRequest("tree", `one of ${treeChoices.join(", ")}`);
  }
  if (request.sandbox !== undefined) checkText("sandbox", request.sandbox);
  for (const [name, value] of Object.entries(request.env)) checkVariable(`env.${name}`, name, value);
  const commandBytes = checkCommandSize(stringsOf(request));
  const variables = Object.entries(request.env);
  // The environment is the machine's own for the most part: only what the kernel would refuse is refused here.
  const environmentBytes = variables.reduce((sum, [name, value]) => {
    return sum + checkCommandSize([[`env.${name}`, `${name}=${value}`]]);
  }, 0);
  return {
    limits: checkLimits(request.limits),
    scopes: limitingScopes(checkScopes(request.scopes)),
    sizeBytes: commandBytes + environmentBytes,
  };
}

function* stringsOf({ command, args = [] }: RunRequest): CommandStrings {
  yield ["command", command];
  for (const [index, arg] of args.entries()) yield [`args[${index}]`, arg];
}

/** Refuses what the kernel would cut at a NUL byte. */
function checkText(field: string, value: unknown): void {
  if (typeof value !== "string") throw invalidRequest(field, "a string");
  if (value.includes("\0")) throw invalidRequest(field, "free of NUL characters");
}

/** Refuses a variable that no environment can hold. */
export function checkVariable(field: string, name: unknown, value: unknown): void {
  checkText(field, name);
  if (name === "" || (name as string).includes("=")) {
    throw invalidRequest(field, "named by a non-empty name without =");
  }
  checkText(field, value);
}
