// `holdfast completion`: the script that completes this command line in a shell (C59).
import { Argument, type Command } from "commander";
import { bashScript } from "./completion/bash.ts";
import { commandPlaces, type CommandPlace } from "./completion/command-tree.ts";
import { fishScript } from "./completion/fish.ts";
import { addComplete } from "./completion/complete.ts";
import { zshScript } from "./completion/zsh.ts";
import { localCommand, type Runner } from "./command.ts";

type Shell = "bash" | "zsh" | "fish";

const scripts: Readonly<Record<Shell, (places: readonly CommandPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Adds `completion`, and the hidden command that its scripts ask for names. */
export function addCompletion(program: Command, run: Runner): void {
  localCommand(program, "completion", "print the script that completes this command line in your shell")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(scripts)))
    .addHelpText(
      "after",
      [
        "",
        "To have it in every new shell:",
        "  bash  echo 'source <(holdfast completion bash)' >> ~/.bashrc",
        "  zsh   echo 'source <(holdfast completion zsh)' >> ~/.zshrc   (after compinit)",
        "  fish  holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
      ].join("\n"),
    )
    .action(
      // The whole command line is known only when it is asked for: commands are added one after another.
      run(async ({ console }, shell: Shell) => console.write(scripts[shell](commandPlaces(program)))),
    );
  addComplete(program, run);
}
