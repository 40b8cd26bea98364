// Reads the program's arguments.
import { Command, CommanderError, InvalidArgumentError } from "commander";
import type { ServeOptions } from "./serve.ts";
import { EXIT_CODES, StartError } from "./start-error.ts";

/** What the arguments ask for. */
export type Request =
  | { readonly kind: "serve"; readonly options: ServeOptions }
  | { readonly kind: "help"; readonly text: string };

/** Reads the arguments after the program's name. */
export function readArguments(words: readonly string[]): Request {
  let request: Request | undefined;
  let help = "";
  const program = new Command("holdfast")
    .description("An agent host that lets go of nothing.")
    .exitOverride()
    .configureOutput({ writeOut: (text) => (help += text), writeErr: () => undefined });
  program
    .command("serve", { isDefault: true })
    .description("run the host (what happens without a command)")
    .option("--port <number>", "port to listen on; 0 takes any that is free (default: 4747)", readPort)
    .option("--host <address>", "address of this machine to listen on (default: 127.0.0.1)")
    .option("--home <folder>", "where everything is kept (default: $HOLDFAST_HOME, else the state directory)")
    .option("--config <file>", "configuration file (default: config.jsonc in the home)")
    .option("--json", "print one line of JSON when ready, and nothing else, on stdout")
    .action((options: ServeOptions) => {
      request = { kind: "serve", options };
    });
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: "help", text: help };
    throw new StartError(
      EXIT_CODES.setup,
      `${error.message.replace(/^error: /, "")} (see holdfast serve --help)`,
      {
        cause: error,
      },
    );
  }
  return request ?? { kind: "help", text: program.helpInformation() };
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("A port is a whole number from 0 to 65535.");
}
