// All slash commands, as the agent finds them and as clients and people are told of them.
import { ask } from "./ask.ts";
import { flood } from "./flood.ts";
import { read } from "./read.ts";
import { usageOf } from "./slash-command.ts";
import { sleep } from "./sleep.ts";
import { write } from "./write.ts";
import type { AvailableCommand } from "../acp/session-update.ts";
import type { SlashCommand } from "./slash-command.ts";

const help: SlashCommand = {
  name: "help",
  description: "Show what can be typed",
  run: (turn) => turn.say(helpText()),
};

const COMMANDS: readonly SlashCommand[] = [read, write, ask, sleep, flood, help];

/** Finds a slash command by its name. */
export function findSlashCommand(name: string): SlashCommand | undefined {
  return COMMANDS.find((command) => command.name === name);
}

/** The commands as `available_commands_update` lists them (S11). */
export function listAvailableCommands(): AvailableCommand[] {
  return COMMANDS.map(({ name, description, hint }) => ({
    name,
    description,
    ...(hint !== undefined && { input: { hint } }),
  }));
}

/** What can be typed, for people. */
export function helpText(): string {
  return [
    "Type a command line and I run it in the session's folder; of several lines, one after the other.",
    "Each line has a shell of its own, so `cd` lasts for its line only. Lines that begin with `#` are skipped.",
    "",
    ...COMMANDS.map((command) => `- \`${usageOf(command)}\`: ${command.description}`),
  ].join("\n");
}
