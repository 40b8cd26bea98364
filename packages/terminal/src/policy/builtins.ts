// Builtins of shells that change what later words mean, or evaluate text as code.
import type { ShellWord, SimpleCommand } from "./shell/shell-line.ts";

/** The effect of a builtin on the shell that runs it. */
export interface BuiltinEffect {
  /** Variables that it sets. */
  readonly sets?: readonly string[];
  /** Why the rest of the line cannot be relied on. */
  readonly problem?: string;
}

/** Change aliases, functions, options, programs by name, variables, traps; or run files and code. */
const changing = new Set(
  (
    "alias unalias enable hash shopt trap bind declare typeset local readonly read mapfile readarray unset let " +
    "getopts source . complete compgen compopt fc history jobs wait"
  ).split(" "),
);

const plainAssignment = /^([A-Za-z_]\w*)(?:=|$)/;
const plainSetting = /^(?:[-+][eux]+|[-+][eux]*o|pipefail|errexit|nounset|xtrace)$/;

/** The effect of a command, if it is a builtin that has one. */
export function readBuiltin({ words }: Pick<SimpleCommand, "words">): BuiltinEffect | undefined {
  const [program, ...args] = words;
  const name = program?.value;
  if (name === undefined) return undefined;
  if (changing.has(name)) return isQuery(name, args) ? undefined : { problem: `${name} changes the shell` };
  switch (name) {
    case "export":
      return readExport(args);
    case "set":
      return args.length > 0 && args.every(({ value }) => plainSetting.test(value ?? ""))
        ? undefined
        : { problem: "set changes the shell" };
    case "printf":
      return args[0]?.value === undefined || args[0].value.startsWith("-v")
        ? { problem: "printf may set a variable" }
        : undefined;
    case "test":
    case "[":
      return args.some(({ value, count }) => count === "any" || value === "-v" || value === "-R")
        ? { problem: "test may evaluate a value" }
        : undefined;
    default:
      return undefined;
  }
}

/** Without options these only wait or list. */
function isQuery(name: string, args: readonly ShellWord[]): boolean {
  return (name === "wait" || name === "jobs") && args.every(({ value }) => /^\d*$/.test(value ?? "-"));
}

function readExport(args: readonly ShellWord[]): BuiltinEffect {
  const sets: string[] = [];
  for (const { value, prefix } of args) {
    const isNamed = value !== undefined || prefix.includes("=");
    const found = isNamed ? plainAssignment.exec(prefix)?.[1] : undefined;
    if (found === undefined) return { problem: "export changes the shell" };
    sets.push(found);
  }
  return args.length === 0 ? {} : { sets };
}
