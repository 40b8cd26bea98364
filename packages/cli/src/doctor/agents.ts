// Examines the agents of the catalogue and the configuration: installed, in which version, signed in.
import { VERSION } from "@holdfast/agent-shell";
import { AgentEntries, Installations, type AgentEntry, type Installation } from "@holdfast/core";
import { shellAgent } from "../serve/shell-agent.ts";
import { installAgent, signInCure } from "./agent-setup.ts";
import { mend, note, ok, type Finding, type Verdict } from "./finding.ts";
import type { Surroundings } from "./surroundings.ts";
import { within } from "./within.ts";

/** How long an agent may take to say its version: some take seconds to load. */
const versionMs = 8000;

/** How each agent is that may be started here. */
export async function examineAgents(
  { keeper, config }: Pick<Surroundings, "keeper" | "config">,
  timeoutMs = versionMs,
): Promise<Finding[]> {
  const { allowedAgents, defaults } = config;
  const entries = new AgentEntries(config, shellAgent());
  const installations = new Installations(keeper, VERSION);
  const isMeant = ({ id, handles }: AgentEntry, name: string): boolean =>
    id === name || handles.includes(name);
  const isAllowed = (entry: AgentEntry): boolean =>
    allowedAgents === undefined || allowedAgents.some((name) => isMeant(entry, name));
  return Promise.all(
    entries.all.filter(isAllowed).map(async (entry) => {
      // What somebody has set up or chosen is expected to work; of the rest, one is as good as another.
      const isExpected = entry.id in config.agents || isMeant(entry, defaults.agent);
      const found = await within(timeoutMs, installations.find(entry), () => "silent" as const);
      const verdict = judge(entry, found, timeoutMs);
      const state = verdict.state === "note" && isExpected ? "mend" : verdict.state;
      return { id: `agent:${entry.id}`, title: entry.label, ...verdict, state };
    }),
  );
}

function judge(entry: AgentEntry, found: Installation | "silent", timeoutMs: number): Verdict {
  const { id, label, launch } = entry;
  if (found === "silent") {
    return mend(`${launch.command} is installed, but does not say its version within ${timeoutMs / 1000} s`, {
      remedy: "See what it does when it is started:",
      command: `holdfast agents doctor ${id}`,
    });
  }
  if (!found.installed) {
    const install = installAgent(entry);
    const remedy = install === undefined ? `Install it, or set its command in the configuration.` : undefined;
    return note(`not installed: there is no ${launch.command} on the PATH`, { remedy, command: install });
  }
  const version = found.version === null ? "version unknown" : `version ${found.version}`;
  if (found.authReady) return ok(entry.auth === undefined ? version : `${version}, signed in`);
  return note(`${version}, but ${label} has no sign-in that could be found`, signInCure(entry));
}
