// What can be typed after the program's name, taken from the command line itself, for the scripts of all shells.
import type { Argument, Command, Help, Option } from "commander";

/** What may stand in a place: fixed words, something of the file system, or names that only the host knows. */
export type ValueKind =
  | { readonly kind: "choices"; readonly choices: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "folder" }
  | { readonly kind: "noun"; readonly noun: string }
  | { readonly kind: "anything" };

/** Nouns whose names the host is asked for. */
export const NOUNS = ["session", "terminal", "agent", "request", "key", "app"] as const;

/** One noun whose names the host is asked for. */
export type Noun = (typeof NOUNS)[number];

/** An option in all its spellings. */
export interface OptionWord {
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent when it takes no value. */
  readonly value?: ValueKind;
}

/** A command and what can follow it. */
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
