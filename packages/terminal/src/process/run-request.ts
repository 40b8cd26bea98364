// What may be asked of a spawner, and the check that says which field is wrong (T5).
import { isAbsolute } from "node:path";
import { invalidRequest } from "../terminal-error.ts";
import type { TreeChoice } from "./launch.ts";
import { type RunLimits, checkLimits } from "./limits.ts";
import type { ScreenSize } from "./pty.ts";
import type { RunKind } from "./run.ts";

/** A child to run. The environment is complete: nothing is added but the marker. */
export interface RunRequest {
  readonly kind: RunKind;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** For tty runs. */
  readonly size?: Partial<ScreenSize> | undefined;
  /** For text runs: whether stdin is a pipe that can be written to. Default: it is `/dev/null`. */
  readonly hasInput?: boolean | undefined;
  readonly limits?: RunLimits | undefined;
  readonly tree?: TreeChoice | undefined;
}

const kinds: readonly RunKind[] = ["text", "tty", "stdio"];
const treeChoices: readonly TreeChoice[] = ["auto", "cgroup", "pid-namespace", "process-group"];

/** Refuses a request that no system could run, naming the field; returns its limits. */
export function checkRunRequest(request: RunRequest): RunLimits {
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
  for (const [name, value] of Object.entries(request.env)) checkVariable(`env.${name}`, name, value);
  return checkLimits(request.limits);
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
