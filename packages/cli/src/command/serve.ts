// `holdfast serve`: runs the host in this process, in the foreground.
import type { Command } from "commander";
import { localCommand, wholeNumber } from "./command.ts";
import type { ServeOptions } from "../serve/serve.ts";

/** Adds `serve`, which is also what happens without a command. */
export function addServe(program: Command, onServe: (options: ServeOptions) => void): void {
  localCommand(program, "serve", "run the host (the default command)")
    .option(
      "--port <number>",
      "port to listen on; 0 for any free port (default: 4747)",
      wholeNumber(0, 65_535),
    )
    .option("--host <address>", "address of this machine to listen on (default: 127.0.0.1)")
    .option("--config <file>", "configuration file (default: config.jsonc in the home)")
    .option("--start-empty", "start with an empty database if the old one is damaged or missing")
    .option("--take-over", "replace the running host; its agents and terminals keep running")
    .option("--no-keeper", "run agents and terminals as children of the host, which end with it")
    .action(({ keeper, ...options }: ServeOptions) =>
      onServe(keeper === false ? { ...options, keeper } : options),
    );
}
