// Command reference, generated from the tree that parses the command line.
import { createProgram } from "../../packages/cli/src/commands.ts";
import { EXIT_CODES } from "../../packages/cli/src/exit-codes.ts";
import { code, markdownTable } from "./markdown-table.ts";

type Command = Awaited<ReturnType<typeof createProgram>>;
type Argument = Command["registeredArguments"][number];
type Option = Command["options"][number];

/** Options that many commands have are documented once. */
const sharedFlags = new Set(["--json", "--home <folder>", "--url <address>"]);

const exitMeanings: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  done: "done",
  fault: "internal error, or stopped without waiting for running work",
  setup: "wrong arguments, configuration or home, or output that cannot be written",
  address: "the host cannot listen on the address",
  unreachable: "no host runs, or it cannot be reached, or it does not respond",
  refused: "the host rejects the credential, or does not allow the request",
  missing: "there is no such session, terminal, agent or key",
  declined: "the host rejected the request, or every action of a turn was denied",
  unwell: "`doctor` found a problem",
  hung: "the host's event loop hung, and its watchdog ended it",
  damaged: "the database is damaged, missing or empty",
  auditBroken: "`audit verify` found a changed or missing entry",
  asks: "`policy test`: the command would be asked about",
  denies: "`policy test`: the command would be denied",
  maxTokens: "a turn ended because the agent ran out of tokens",
  maxTurnRequests: "a turn ended because the agent reached its limit of model requests",
  refusal: "a turn ended because the model refused",
  turnFailed: "a turn failed",
  turnInterrupted: "a turn was interrupted because the host stopped",
  notRun: "`exec` could not run or follow its command",
  cancelled: "Ctrl-C, or a turn that was cancelled",
};

const wholeProgram = await createProgram(
  () => async () => undefined,
  () => undefined,
);

/** Every command with its arguments and options. */
export function commandReference(): string {
  return leaves(wholeProgram)
    .map(({ path, command }) => describeCommand(path, command))
    .join("\n\n");
}

/** Every exit code. */
export function exitCodeTable(): string {
  const rows = Object.entries(exitMeanings).map(([name, meaning]) => [
    String(EXIT_CODES[name as keyof typeof EXIT_CODES]),
    meaning,
  ]);
  return markdownTable(["code", "meaning"], rows);
}

/** The commands that do something: a command that only holds others is left out. */
function leaves(parent: Command, prefix = ""): { path: string; command: Command }[] {
  return parent.commands
    .filter((command) => command.name() !== "help" && !command.name().startsWith("__"))
    .flatMap((command) => {
      const path = `${prefix}${command.name()}`;
      const inner = leaves(command, `${path} `);
      return doesSomething(command) ? [{ path, command }, ...inner] : inner;
    });
}

/** Commander keeps a command's action private; a command without options only holds others. */
function doesSomething({ commands, options }: Command): boolean {
  return commands.length === 0 || options.length > 0;
}

function describeCommand(path: string, command: Command): string {
  const words = command.registeredArguments.map(describeUse);
  const parts = [`### ${code([path, ...words].join(" "))}`, sentence(command.description())];
  const named = command.registeredArguments.filter(({ description }) => description !== "");
  const rows = [
    ...named.map((argument) => [code(argument.name()), argument.description]),
    ...command.options.filter(isOwn).map((option) => [code(option.flags), describeOption(option)]),
  ];
  if (rows.length > 0) parts.push(markdownTable(["argument or option", "meaning"], rows));
  const epilogue = epilogueOf(command);
  if (epilogue !== "") parts.push(`\`\`\`text\n${epilogue}\n\`\`\``);
  return parts.join("\n\n");
}

/** Help text after the options. */
function epilogueOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return help.split("display help for command\n").at(-1)?.trim() ?? "";
}

function describeUse(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function isOwn({ flags, hidden }: Option): boolean {
  return !hidden && !sharedFlags.has(flags);
}

function describeOption({ description, argChoices, defaultValue }: Option): string {
  const choices = argChoices === undefined ? "" : ` (${argChoices.map(code).join(", ")})`;
  const fallback = typeof defaultValue === "string" || typeof defaultValue === "number";
  return `${description}${choices}${fallback ? ` (default: ${defaultValue})` : ""}`;
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return whole.endsWith(".") ? whole : `${whole}.`;
}
