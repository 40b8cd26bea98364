// All slash commands: those for people, and those that only tests need.
import { ask, flood, sleep } from "./test-commands.ts";
import { read, write } from "./file.ts";
import { usageOf } from "./slash-command.ts";
import type { AvailableCommand } from "../acp/session-update.ts";
import type { SlashCommand } from "./slash-command.ts";

const help: SlashCommand = {
  name: "help",
  description: "Show what can be typed",
  run: (turn) => turn.say(turn.commands.helpText),
};

/** Commands that the agent runs without a shell. */
const COMMANDS: readonly SlashCommand[] = [read, write, help];
/** Commands for testing clients: a question, a long turn, many updates (S340). */
const TEST_COMMANDS: readonly SlashCommand[] = [ask, sleep, flood];

export class SlashCommands {
  readonly #commands: readonly SlashCommand[];

  constructor({ hasTestCommands }: { readonly hasTestCommands: boolean }) {
    this.#commands = hasTestCommands ? [...COMMANDS, ...TEST_COMMANDS] : COMMANDS;
  }

  /** Finds a slash command by its name. */
  find(name: string): SlashCommand | undefined {
    return this.#commands.find((command) => command.name === name);
  }

  /** The commands as `available_commands_update` lists them (S11). */
  get available(): AvailableCommand[] {
    return this.#commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== undefined && { input: { hint } }),
    }));
  }

  /** List of the commands, for people. */
  get helpText(): string {
    return [
      "Type a command line and I run it in the session's folder; several lines run one after the other.",
      "Each line runs in a separate shell, so `cd` affects only its own line. Lines that begin with `#` are skipped.",
      "",
      ...this.#commands.map((command) => `- \`${usageOf(command)}\`: ${command.description}`),
    ].join("\n");
  }
}
