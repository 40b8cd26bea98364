// Programs that run another command: where in their arguments it stands.
import { compileOptions, type OptionList } from "./options.ts";
import { type ShellDialect, type ShellWord, unknownWords } from "./shell/shell-line.ts";

/** The command inside another one, as words or as a script. */
export type InnerCommand =
  | { readonly kind: "words"; readonly words: readonly ShellWord[]; readonly variables: readonly string[] }
  /** Without a dialect it is that of the line around it. */
  | { readonly kind: "script"; readonly script: string; readonly dialect: ShellDialect | undefined };

/** The commands inside a command. */
export interface Unwrapped {
  readonly inner: readonly InnerCommand[];
  /** Only prepares the inner command: where no rule is about it, the inner command decides alone. */
  readonly isTransparent: boolean;
  /** Why the inner command is not known. */
  readonly unknown?: string;
}

type Unwrap = (args: readonly ShellWord[]) => Unwrapped | undefined;

const hidden = (unknown: string): Unwrapped => ({ inner: [], isTransparent: false, unknown });

/** `PROGRAM [options] [fixed operands] COMMAND…`. */
function prefix(options: string, fixedOperands = 0, isTransparent = true, more?: ShellWord): Unwrap {
  const list = compileOptions(options, false);
  return (args) => {
    const start = skipOptions(list, args);
    if (start === undefined) return hidden("options before the inner command");
    const words = args.slice(start + fixedOperands);
    if (words.length === 0) return undefined;
    const fixed = args.slice(start, start + fixedOperands);
    if ([...fixed, words[0]].some((word) => word?.value === undefined)) {
      return hidden("unknown inner command");
    }
    return {
      inner: [{ kind: "words", words: more === undefined ? words : [...words, more], variables: [] }],
      isTransparent,
    };
  };
}

/** The index of the first operand; undefined if an option is unknown. */
function skipOptions({ short, long }: OptionList, args: readonly ShellWord[]): number | undefined {
  for (let index = 0; index < args.length; index += 1) {
    const value = args[index]?.value;
    if (value === undefined) return undefined;
    if (value === "--") return index + 1;
    if (!value.startsWith("-") || value === "-") return index;
    const [name = "", attached] = value.split(/=(.*)/s);
    const kind = value.startsWith("--") ? long.get(name) : short.get(value.charAt(1));
    if (kind === undefined) return undefined;
    if (value.startsWith("--")) {
      if (kind === "none" && attached !== undefined) return undefined;
      if (kind === "required" && attached === undefined) index += 1;
    } else if (kind === "required" && value.length === 2) index += 1;
    else if (
      kind === "none" &&
      value
        .slice(1)
        .split("")
        .some((letter) => short.get(letter) !== "none")
    ) {
      return undefined;
    }
  }
  return args.length;
}

/** `sh -c SCRIPT`, with the options that do not change how a script reads. */
function shell(dialect: ShellDialect): Unwrap {
  return (args) => {
    for (let index = 0; index < args.length; index += 1) {
      const value = args[index]?.value;
      if (value === undefined) return hidden("unknown argument of a shell");
      if (value === "--login" || value === "--norc" || value === "--noprofile") continue;
      if (!/^-[lceux]+$/.test(value)) return hidden("a script that is not in the line");
      if (!value.includes("c")) continue;
      const script = args[index + 1]?.value;
      return script === undefined || script.startsWith("-")
        ? hidden("unknown script")
        : { inner: [{ kind: "script", script, dialect }], isTransparent: true };
    }
    return hidden("a script that is not in the line");
  };
}

/** `PROGRAM [options] [NAME=VALUE]… COMMAND…`, as for `env` and `sudo`. */
function withVariables(options: string, isTransparent: boolean): Unwrap {
  const list = compileOptions(options, false);
  return (args) => {
    const start = skipOptions(list, args);
    if (start === undefined) return hidden("options before the inner command");
    // An option may clear the environment, which is a change that has no name.
    const variables = isTransparent && start > 0 ? ["-"] : [];
    let index = start;
    for (; index < args.length; index += 1) {
      const value = args[index]?.value;
      if (value === undefined) return hidden("unknown inner command");
      const assigned = /^([^=]*)=/.exec(value)?.[1];
      if (assigned === undefined) break;
      variables.push(assigned);
    }
    const words = args.slice(index);
    return words.length === 0 ? undefined : { inner: [{ kind: "words", words, variables }], isTransparent };
  };
}

/** The words joined by blanks are a script, as for `eval`, `ssh` and `watch`. */
function joined(
  options: string,
  fixedOperands: number,
  dialect: ShellDialect | undefined,
  isTransparent: boolean,
): Unwrap {
  const list = compileOptions(options, false);
  return (args) => {
    const start = skipOptions(list, args);
    if (start === undefined) return hidden("options before the inner command");
    const words = args.slice(start + fixedOperands);
    if (words.length === 0) return fixedOperands > 0 ? undefined : { inner: [], isTransparent };
    if (words.some(({ value }) => value === undefined)) return hidden("unknown script");
    const script = words.map(({ value }) => value).join(" ");
    return { inner: [{ kind: "script", script, dialect }], isTransparent };
  };
}

const commandQueries = new Set(["-v", "-V"]);
const plainCommand = prefix("-p");
const unwrapCommand: Unwrap = (args) =>
  commandQueries.has(args[0]?.value ?? "") ? undefined : plainCommand(args);

const executes = new Set(["-exec", "-execdir", "-ok", "-okdir"]);

/** Every `-exec … ;` and `-exec … {} +` of find. Its other arguments need a rule about find itself. */
const unwrapFind: Unwrap = (args) => {
  const inner: InnerCommand[] = [];
  for (let index = 0; index < args.length; index += 1) {
    if (!executes.has(args[index]?.value ?? "")) continue;
    const start = index + 1;
    while (index < args.length && args[index]?.value !== ";" && args[index]?.value !== "+") index += 1;
    const words = args
      .slice(start, index)
      .map((word) =>
        word.value?.includes("{}") === true
          ? { ...unknownWords("found files"), count: "one" as const }
          : word,
      );
    if (words[0]?.value === undefined) return hidden("unknown inner command");
    inner.push({ kind: "words", words, variables: [] });
  }
  return inner.length === 0 ? undefined : { inner, isTransparent: false };
};

/** `git -c alias.x='!command' x`. */
const unwrapGit: Unwrap = (args) => {
  const scripts = args.flatMap(({ value }) => {
    const found = /^(?:-c)?alias\.[^=]*=!([^]*)$/.exec(value ?? "")?.[1];
    return found === undefined ? [] : [found];
  });
  if (scripts.length === 0) return undefined;
  return {
    inner: scripts.map((script) => ({ kind: "script" as const, script, dialect: "sh" as const })),
    isTransparent: false,
  };
};

const npmExec = prefix("-yq --yes --quiet --silent --no --package= -p:", 0, false);
const unwrapNpm: Unwrap = (args) => {
  const [first, ...rest] = args;
  return first?.value === "exec" || first?.value === "x" ? npmExec(rest) : undefined;
};

const bash = shell("bash");
const posix = shell("sh");

/** How each program runs another. A program that is not here is decided by its own words alone. */
const table: ReadonlyMap<string, Unwrap> = new Map<string, Unwrap>([
  ["bash", bash],
  ["sh", posix],
  ["dash", posix],
  ["env", withVariables("-i0 -u: --ignore-environment --unset=", true)],
  ["command", unwrapCommand],
  ["builtin", prefix("")],
  ["exec", prefix("-cl -a:")],
  ["eval", joined("", 0, undefined, true)],
  ["nice", prefix("-n: --adjustment=")],
  ["nohup", prefix("")],
  ["setsid", prefix("-cfw --ctty --fork --wait")],
  ["timeout", prefix("-k: -s: -v --kill-after= --signal= --foreground --preserve-status --verbose", 1)],
  ["stdbuf", prefix("-i: -o: -e: --input= --output= --error=")],
  ["ionice", prefix("-c: -n: -t --class= --classdata= --ignore")],
  ["time", prefix("-p")],
  ["sudo", withVariables("-nHEkS -u: -g: --user= --group= --non-interactive", false)],
  ["doas", prefix("-n -u:", 0, false)],
  [
    "xargs",
    prefix(
      "-0rtx -n: -P: -L: -d: -s: -a: -E: --null --no-run-if-empty --max-args= --max-procs= --delimiter= --verbose",
      0,
      true,
      unknownWords("arguments from the input"),
    ),
  ],
  ["busybox", prefix("", 0, false)],
  ["toybox", prefix("", 0, false)],
  ["find", unwrapFind],
  ["git", unwrapGit],
  [
    "ssh",
    joined(
      "-46AaCfGgKkMNnqsTtVvXxYy -b: -c: -D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -o: -p: -R: -S: -W: -w:",
      1,
      "sh",
      false,
    ),
  ],
  ["watch", joined("-bcdegtx -n: --interval= --beep --color --differences --no-title", 0, "sh", false)],
  ["npx", npmExec],
  ["npm", unwrapNpm],
]);

/** Shells whose grammar differs from the one that is parsed. */
const otherShells = new Set([
  "zsh",
  "fish",
  "ksh",
  "mksh",
  "tcsh",
  "csh",
  "ash",
  "yash",
  "pwsh",
  "nu",
  "elvish",
]);

/** Programs whose whole purpose is to run another one, and whose arguments are not read. */
const launchers = new Set([
  "su",
  "runuser",
  "chroot",
  "unshare",
  "nsenter",
  "setpriv",
  "setarch",
  "script",
  "flock",
  "taskset",
  "chrt",
  "prlimit",
  "systemd-run",
  "parallel",
  "fakeroot",
  "dbus-run-session",
  "bwrap",
]);

/** The command inside this one; undefined if it runs none. */
export function unwrap(words: readonly ShellWord[]): Unwrapped | undefined {
  const [program, ...args] = words;
  const name = program?.value?.replace(/^.*\//s, "");
  if (name === undefined) return undefined;
  if (otherShells.has(name)) return hidden(`${name} has another grammar`);
  if (launchers.has(name) && args.length > 0) return hidden(`${name} runs another command`);
  return table.get(name)?.(args);
}
