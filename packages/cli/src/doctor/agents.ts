// Checks of agents: installed, in which version, signed in; and the lookup of one by its name.
import { VERSION } from "@holdfast/agent-shell";
import {
  AgentEntries,
  type AgentEntry,
  type Installation,
  Installations,
  signInRemedy,
} from "@holdfast/core";
import { type Config, HostError } from "@holdfast/protocol";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { shellAgent } from "../serve/agents.ts";
import { type Finding, fix, note, ok, type CheckResult } from "./finding.ts";
import { type Machine, within } from "./machine.ts";

/** How long an agent may take to say its version: some take seconds to load. */
const versionMs = 8000;

export async function examineAgents(
  { processPort, config }: Pick<Machine, "processPort" | "config">,
  timeoutMs = versionMs,
): Promise<Finding[]> {
  const { allowedAgents, defaults } = config;
  const entries = new AgentEntries(config, shellAgent());
  const installations = new Installations(processPort, VERSION);
  const isMeant = ({ id, handles }: AgentEntry, name: string): boolean =>
    id === name || handles.includes(name);
  const isAllowed = (entry: AgentEntry): boolean =>
    allowedAgents === undefined || allowedAgents.some((name) => isMeant(entry, name));
  return Promise.all(
    entries.all.filter(isAllowed).map(async (entry) => {
      // What somebody has set up or chosen is expected to work; of the rest, one is as good as another.
      const isExpected = entry.isOwn === true || isMeant(entry, defaults.agent);
      const found = await within(timeoutMs, installations.find(entry), () => "silent" as const);
      const finding = describeAgent(entry, found, timeoutMs);
      const state = finding.state === "note" && isExpected ? "fix" : finding.state;
      return { id: `agent:${entry.id}`, title: entry.label, ...finding, state };
    }),
  );
}

export function installRemedy({ installCommand }: AgentEntry): Pick<CheckResult, "remedy" | "command"> {
  return installCommand === undefined
    ? { remedy: "Install it, or set its command in the configuration." }
    : { command: installCommand };
}

function describeAgent(entry: AgentEntry, found: Installation | "silent", timeoutMs: number): CheckResult {
  const { id, label, launch } = entry;
  if (found === "silent") {
    return fix(`${launch.command} is installed, but did not print its version within ${timeoutMs / 1000} s`, {
      remedy: "See what it does when it starts:",
      command: `holdfast agents doctor ${id}`,
    });
  }
  if (!found.installed) {
    return note(`not installed: there is no ${launch.command} on the PATH`, installRemedy(entry));
  }
  const version = found.version === null ? "version unknown" : `version ${found.version}`;
  if (found.authReady) return ok(entry.auth === undefined ? version : `${version}, signed in`);
  const { text: remedy, command } = signInRemedy(entry);
  return note(`${version}, but no sign-in for ${label} was found`, { remedy, command });
}

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
      remedy: `Known agents: ${ids}. You can add others in the configuration.`,
      cause: error,
    });
  }
}
