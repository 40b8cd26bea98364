// Reads the configuration file: JSON with comments, every mistake named by its place (C3).
import { readFileSync } from "node:fs";
import path from "node:path";
import { type Config, problemSentence, readConfig } from "@holdfast/protocol";
import { EXIT_CODES } from "../exit-codes.ts";
import { StartError, systemCode } from "../command-error.ts";
import { readJsonc } from "./jsonc.ts";

export const CONFIG_FILE = "config.jsonc";

/** The configuration of a home: from the named file, else from its `config.jsonc` if there is one, else the defaults. */
export function loadConfig(home: string, named: string | undefined): Config {
  const file = path.resolve(named ?? path.join(home, CONFIG_FILE));
  const text = readText(file, named !== undefined);
  const checked = readConfig(text === undefined ? {} : parseText(file, text));
  if (checked.ok) return checked.value;
  throw invalid(
    file,
    checked.problems.map((problem) => problemSentence(problem, "The configuration")),
  );
}

export function defaultConfig(): Config {
  const checked = readConfig({});
  if (checked.ok) return checked.value;
  throw new TypeError("The defaults of the configuration are not valid.");
}

function readText(file: string, mustExist: boolean): string | undefined {
  try {
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" && !mustExist) return undefined;
    const why = code === "ENOENT" ? "does not exist" : `cannot be read (${code ?? String(error)})`;
    throw new StartError(EXIT_CODES.setup, `The configuration ${file} ${why}.`, { cause: error });
  }
}

function parseText(file: string, text: string): unknown {
  const read = readJsonc(text);
  if (!read.ok) throw invalid(file, read.problems);
  return read.value;
}

function invalid(file: string, problems: readonly string[]): StartError {
  return new StartError(
    EXIT_CODES.setup,
    [`The configuration ${file} cannot be used:`, ...problems.map((problem) => `  ${problem}`)].join("\n"),
  );
}
