// How a session's agent is started: program, arguments and environment, with the model where it is chosen at launch.
import type { Keeper, KeeperRunRequest } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Installations } from "../agent/installations.ts";

/** What the launch depends on. */
export interface LaunchWish {
  readonly entry: AgentEntry;
  readonly cwd: string;
  readonly model: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
}

/** The run request for an agent; an agent that is not installed is an error that says so. */
export async function buildLaunch(
  keeper: Keeper,
  installations: Installations,
  wish: LaunchWish,
): Promise<Omit<KeeperRunRequest, "kind">> {
  const { entry, cwd, model, variables } = wish;
  const installation = await installations.find(entry);
  if (!installation.installed) {
    throw new HostError(
      "ACP_SESSION_INIT_FAILED",
      `${entry.label} is not installed: there is no ${entry.launch.command} in PATH. Install it, or name its command in the configuration.`,
    );
  }
  const { launch } = installation;
  const choice = model === undefined ? undefined : entry.model[0];
  const args = [
    ...launch.args,
    ...(choice?.by === "flag" && model !== undefined ? [choice.flag, model] : []),
  ];
  const env = await keeper.buildEnvironment({
    audience: "agent-command",
    hasScreen: false,
    keepSecrets: entry.auth?.env ?? [],
    variables: {
      ...launch.env,
      ...variables,
      ...(choice?.by === "env" && model !== undefined && { [choice.name]: model }),
    },
  });
  return { command: launch.command, args, cwd: entry.cwd ?? cwd, env };
}
