// Finds an agent by its name, as the host does.
import { AgentEntries, type AgentEntry } from "@holdfast/core";
import { type Config, HostError } from "@holdfast/protocol";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { shellAgent } from "../serve/shell-agent.ts";

/** The agent of this id or handle; one that is not there is an error that names those that are. */
export function findAgent(config: Config, name: string): AgentEntry {
  const entries = new AgentEntries(config, shellAgent());
  try {
    return entries.find(name);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const ids = entries.all.map(({ id }) => id).join(", ");
    throw new CommandError("ACP_UNKNOWN_AGENT", `There is no agent ${name}.`, {
      exitCode: EXIT_CODES.missing,
      remedy: `These are known: ${ids}. Others can be named in the configuration.`,
      cause: error,
    });
  }
}
