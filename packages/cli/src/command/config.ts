// `holdfast config`: writes a configuration file to begin with, and finds the mistakes in one (C58).
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { loadConfig } from "../serve/config-file.ts";
import { findHome } from "../serve/home.ts";
import { StartError, systemCode } from "../serve/start-error.ts";
import { localCommand, type Runner } from "./command.ts";
import { configTemplate } from "./config-template.ts";

interface InitOptions {
  readonly force?: boolean;
}

interface CheckOptions {
  readonly config?: string;
}

const configFile = "config.jsonc";

/** Adds `config`. */
export function addConfig(program: Command, run: Runner): void {
  const config = program.command("config").description("write and check the configuration");
  localCommand(config, "init", "write a configuration file with every setting explained")
    .option("--force", "also over one that is there")
    .action(
      run(async ({ console, environment, home }, { force = false }: InitOptions) => {
        const file = path.join(findHome(home, environment), configFile);
        writeTemplate(file, force);
        if (console.json) return console.printJson({ file });
        return console.print(file);
      }),
    );
  localCommand(
    config,
    "check",
    "tell every mistake in the configuration by its place; exit 2 if there is one",
  )
    .option("--config <file>", `the file (default: ${configFile} in the home)`)
    .action(
      run(async ({ console, environment, home: option }, { config: named }: CheckOptions) => {
        const home = findHome(option, environment);
        const effective = check(home, named);
        if (console.json) return console.printJson(effective);
        const file = path.resolve(named ?? path.join(home, configFile));
        return console.print(
          existsSync(file) ? `${file} is right.` : `There is no ${file}, so the defaults hold.`,
        );
      }),
    );
}

function writeTemplate(file: string, force: boolean): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, configTemplate(), { mode: 0o600, flag: force ? "w" : "wx" });
  } catch (error) {
    const isThere = systemCode(error) === "EEXIST";
    const why = isThere ? "is there already" : `cannot be written (${systemCode(error) ?? String(error)})`;
    throw new CommandError(isThere ? "CONFIG_EXISTS" : "CONFIG_NOT_WRITTEN", `${file} ${why}.`, {
      exitCode: EXIT_CODES.setup,
      remedy: isThere ? "Edit it, or write over it with --force." : "Choose another home with --home.",
      cause: error,
    });
  }
}

function check(home: string, named: string | undefined): ReturnType<typeof loadConfig> {
  try {
    return loadConfig(home, named);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const { message, exitCode } = error;
    throw new CommandError("CONFIG_INVALID", message, {
      exitCode,
      remedy: "`holdfast config init` writes one with every setting explained.",
      cause: error,
    });
  }
}
