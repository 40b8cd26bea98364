// `holdfast kill <terminal>`: ends what runs in a terminal, or what its command left running (C320).
import type { Command } from "commander";
import { hostCommand, type Runner } from "./command.ts";
import { shortName } from "../short-name.ts";
import { resolveTerminal } from "../terminal/terminal-name.ts";

export function addKill(program: Command, run: Runner): void {
  hostCommand(program, "kill", "end a terminal's command and every process it started")
    .argument("<terminal>", "id of the terminal or a prefix of it, or its title")
    .action(
      run(async ({ console, host }, word: string) => {
        const { api } = await host();
        const id = await resolveTerminal(api, word);
        await api.terminals.kill(id);
        if (console.json) return console.printJson({ killed: true, terminal: id });
        console.note(`Killed ${shortName(id)}.`);
        return undefined;
      }),
    );
}
