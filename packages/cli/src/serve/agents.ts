// Agents that a host adds to the catalogue: the built-in one, and those of the configuration, checked.
import process from "node:process";
import { fileURLToPath } from "node:url";
import { shellProgramPath, VERSION } from "@holdfast/agent-shell";
import { AgentConfigError, AgentEntries, type BuiltInProgram, type ToolBridge } from "@holdfast/core";
import type { Config } from "@holdfast/protocol";
import { StartError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { nodeFlags } from "./process-identity.ts";

/** This program, from source where this module is. */
const programFile = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../main.ts" : "../main.js", import.meta.url),
);

export function shellAgent(): BuiltInProgram {
  return { command: process.execPath, args: [shellProgramPath], version: VERSION };
}

/** The program that serves lent tools on stdio, which is this one. */
export function toolBridge(): ToolBridge {
  return { command: process.execPath, args: [...nodeFlags(), programFile, "client-tools"] };
}

/** Throws a `StartError` that names every entry under `agents` that cannot be used. */
export function checkOwnAgents(config: Pick<Config, "agents">): void {
  try {
    void new AgentEntries(config, shellAgent());
  } catch (error) {
    if (!(error instanceof AgentConfigError)) throw error;
    const lines = ["The configuration cannot be used:", ...error.problems.map((problem) => `  ${problem}`)];
    throw new StartError(EXIT_CODES.setup, lines.join("\n"), { cause: error });
  }
}

/** Agents by their ids; a name that no agent has stays as it is. */
export function agentIds(config: Pick<Config, "agents">, names: readonly string[]): string[] {
  const entries = new AgentEntries(config, shellAgent());
  return names.map((name) => entries.lookUp(name)?.id ?? name);
}
