// What can be typed after the program's name, taken from the command line itself, for the scripts of all shells.
import type { Argument, Command, Help, Option } from "commander";

/** What may stand in a place: fixed words, something of the file system, or names that only the host knows. */
type ValueKind =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  | { readonly kind: "noun"; readonly noun: string }
  | { readonly kind: "anything" };

/** Nouns whose names the host is asked for. */
export const NOUNS = ["session", "terminal", "agent", "request", "key", "app"] as const;

export type Noun = (typeof NOUNS)[number];

interface OptionWord {
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent when it takes no value. */
  readonly value?: ValueKind;
}

export interface CommandPlace {
  /** The words that lead here, such as `keys create`; empty for the program itself. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionWord[];
  /** What stands after it, one by one; the last one may be repeated. */
  readonly values: readonly ValueKind[];
  readonly isRepeated: boolean;
}

/** The places of a command line, the program itself first. Without a command the first one is meant. */
export function commandPlaces(program: Command): CommandPlace[] {
  const help = program.createHelp();
  const [root, ...others] = placesOf(program, help, []);
  const [standard] = program.commands;
  if (root === undefined || standard === undefined) return others;
  const { options = [] } = others.find(({ path }) => path === standard.name()) ?? {};
  const known = new Set(root.options.flatMap(({ flags }) => flags));
  const further = options.filter(({ flags }) => flags.every((flag) => !known.has(flag)));
  return [{ ...root, options: [...root.options, ...further] }, ...others];
}

function placesOf(command: Command, help: Help, path: readonly string[]): CommandPlace[] {
  const commands = help
    .visibleCommands(command)
    .filter((each) => each.name() !== "help" || path.length === 0);
  const place: CommandPlace = {
    path: path.join(" "),
    description: command.description(),
    commands: commands.map((each) => ({ name: each.name(), description: each.description() })),
    options: help.visibleOptions(command).map(optionWord),
    values: command.registeredArguments.map(argumentKind),
    isRepeated: command.registeredArguments.at(-1)?.variadic === true,
  };
  return [place, ...commands.flatMap((each) => placesOf(each, help, [...path, each.name()]))];
}

function optionWord(option: Option): OptionWord {
  const { short, long, description, required, optional, argChoices } = option;
  const flags = [short, long].filter((flag) => flag !== undefined);
  if (!required && !optional) return { flags, description };
  const [, name = ""] = /[<[]([^>\]]+)/.exec(option.flags) ?? [];
  return { flags, description, value: kindOf(name, argChoices) };
}

function argumentKind(argument: Argument): ValueKind {
  return kindOf(argument.name(), argument.argChoices);
}

/** By its name: one noun is called the same everywhere, so its name says what is meant. */
function kindOf(written: string, choices: readonly string[] | undefined): ValueKind {
  if (choices !== undefined) return { kind: "choices", choices };
  const name = written.replace(/\.\.\.$/, "");
  if (name === "file" || name === "files" || name === "path") return { kind: "file" };
  if (name === "folder" || name === "directory") return { kind: "folder" };
  return NOUNS.some((noun) => noun === name) ? { kind: "noun", noun: name } : { kind: "anything" };
}

/** `=a b` for choices, `@session` for a noun, `file`, `folder`, or `-` for anything. */
export function valueCode(value: ValueKind): string {
  switch (value.kind) {
    case "choices":
      return `=${value.choices.join(" ")}`;
    case "noun":
      return `@${value.noun}`;
    case "file":
    case "folder":
      return value.kind;
    case "anything":
      return "-";
  }
}

/** A row for each option that takes a value: its place and spelling, and what the value may be. */
export function optionRows(
  places: readonly CommandPlace[],
): { readonly key: string; readonly code: string }[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === undefined ? [] : flags.map((flag) => ({ key: `${path} ${flag}`, code: valueCode(value) })),
    ),
  );
}

/** A row for each argument: its place and number, `+` for those that are repeated, and what it may be. */
export function argumentRows(
  places: readonly CommandPlace[],
): { readonly path: string; readonly position: string; readonly code: string }[] {
  return places.flatMap(({ path, values, isRepeated }) =>
    values.map((value, index) => ({
      path,
      position: isRepeated && index === values.length - 1 ? "+" : String(index),
      code: valueCode(value),
    })),
  );
}

/** A word for a POSIX shell, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
