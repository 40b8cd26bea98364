// `holdfast config`: writes a configuration file to begin with, and finds the mistakes in one (C58).
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { configJsonSchema, type JsonSchema } from "@holdfast/protocol";
import type { Command } from "commander";
import { CommandError, StartError, systemCode } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { CONFIG_FILE, loadConfig } from "../serve/config-file.ts";
import { findHome } from "../serve/home.ts";
import { localCommand, type Runner } from "./command.ts";

interface InitOptions {
  readonly force?: boolean;
}

interface CheckOptions {
  readonly config?: string;
}

export function addConfig(program: Command, run: Runner): void {
  const config = program.command("config").description("create and check the configuration");
  localCommand(config, "init", "write a configuration file with every setting explained")
    .option("--force", "overwrite an existing file")
    .action(
      run(async ({ console, environment, home }, { force = false }: InitOptions) => {
        const file = path.join(findHome(home, environment), CONFIG_FILE);
        writeTemplate(file, force);
        if (console.json) return console.printJson({ file });
        return console.print(file);
      }),
    );
  localCommand(
    config,
    "check",
    "list every mistake in the configuration with its path; exit 2 if there is one",
  )
    .option("--config <file>", `the file (default: ${CONFIG_FILE} in the home)`)
    .action(
      run(async ({ console, environment, home: option }, { config: named }: CheckOptions) => {
        const home = findHome(option, environment);
        const effective = await check(home, named);
        if (console.json) return console.printJson(effective);
        const file = path.resolve(named ?? path.join(home, CONFIG_FILE));
        return console.print(
          existsSync(file) ? `${file} is valid.` : `There is no ${file}; using the defaults.`,
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
    const why = isThere ? "already exists" : `cannot be written (${systemCode(error) ?? String(error)})`;
    throw new CommandError(isThere ? "CONFIG_EXISTS" : "CONFIG_NOT_WRITTEN", `${file} ${why}.`, {
      exitCode: EXIT_CODES.setup,
      remedy: isThere ? "Edit it, or write over it with --force." : "Choose another home with --home.",
      cause: error,
    });
  }
}

async function check(home: string, named: string | undefined): Promise<ReturnType<typeof loadConfig>> {
  // The catalogue is the host's: it is loaded only where it is asked for.
  const { checkOwnAgents } = await import("../serve/agents.ts");
  try {
    const config = loadConfig(home, named);
    checkOwnAgents(config);
    return config;
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

const indentation = "  ";

/** What to show of settings that have no default, or one that says nothing. */
const examples: Readonly<Record<string, unknown>> = {
  agents: { mine: { command: "/opt/mine/agent", args: ["--acp"], label: "My agent" } },
  "defaults.cwd": "/srv/work",
  "defaults.approvalPolicy": "approve-reads",
  "defaults.timeoutSeconds": 3600,
  "defaults.model": "large",
  "defaults.runtimeMode": "plan",
  allowedAgents: ["shell"],
  "limits.preset": "short-commands",
  policy: "policy.jsonc",
  "acp.commandRunOf": { shell: "tty" },
  "listen.allowRemote": false,
  "listen.allowedHosts": ["holdfast.example"],
  "listen.allowedOrigins": ["https://app.example"],
};

/** Limits have the same names in each group. */
const limitExamples: Readonly<Record<string, unknown>> = {
  wallClockSeconds: 600,
  outputMebibytes: 50,
  memoryMebibytes: 4096,
  processes: 500,
  cpuSeconds: 900,
  cpuCores: 2,
  diskWriteMebibytes: 4096,
  openTerminals: 16,
};

/** A configuration in which everything is commented out, so that it means the defaults; made from the schema itself. */
export function configTemplate(): string {
  const lines = [
    "// The configuration of Holdfast: JSON with comments. Everything here is commented out; Holdfast uses the defaults.",
    "// Take the two slashes away before a setting to change it; `holdfast config check` finds mistakes.",
    "{",
    ...settingLines(configJsonSchema(), 1),
    "}",
    "",
  ];
  return lines.join("\n");
}

function settingLines(schema: JsonSchema, depth: number, group = ""): string[] {
  const settings = Object.entries(propertiesOf(schema)).filter(([name]) => name !== "$schema");
  return settings.flatMap(([name, setting]) => {
    const place = group === "" ? name : `${group}.${name}`;
    const { description } = setting;
    return [
      ...(typeof description === "string" ? [line(depth, `// ${description}`)] : []),
      ...valueLines(name, setting, depth, place),
    ];
  });
}

/** A group stands open, so that a setting in it needs no other change. */
function valueLines(name: string, setting: JsonSchema, depth: number, place: string): string[] {
  const key = JSON.stringify(name);
  if (Object.keys(propertiesOf(setting)).length > 0) {
    return [line(depth, `${key}: {`), ...settingLines(setting, depth + 1, place), line(depth, "},")];
  }
  const example = examples[place] ?? (place.startsWith("limits.") ? limitExamples[name] : undefined);
  return [line(depth, `// ${key}: ${JSON.stringify(example ?? setting["default"])},`)];
}

function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (schema["properties"] ?? {}) as Record<string, JsonSchema>;
}

function line(depth: number, text: string): string {
  return indentation.repeat(depth) + text;
}
