// How a session's agent is started: program, arguments and environment, with the model and the provider chosen at launch.
import type { Keeper, KeeperRunRequest } from "@holdfast/keeper/port";
import { HostError } from "@holdfast/protocol";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Installations } from "../agent/installations.ts";
import { findLaunchChoice } from "../agent/model-choice.ts";
import { type Environment, forwardProvider } from "../agent/provider-forwarding.ts";

/** What the launch depends on. */
export interface LaunchWish {
  readonly entry: AgentEntry;
  readonly cwd: string;
  readonly model: string | undefined;
  /** Whether the agent offers models in its sessions; undefined before its first. */
  readonly offersModels: boolean | undefined;
  readonly variables: Readonly<Record<string, string>>;
  /** Whose credentials the agent is to use; its own if undefined. */
  readonly forwardedProvider: string | undefined;
  /** Where a provider's credentials are read from. */
  readonly hostEnvironment: Environment;
}

/** What an agent is started with. */
export interface AgentLaunch {
  readonly request: Omit<KeeperRunRequest, "kind">;
  /** The model that it is started with, where it takes it then. */
  readonly model: string | undefined;
  /** Values in its environment that nobody may be shown. */
  readonly secrets: readonly string[];
}

/** The launch of an agent; one that is not installed or cannot use the provider is an error that says so. */
export async function buildLaunch(
  keeper: Keeper,
  installations: Installations,
  wish: LaunchWish,
): Promise<AgentLaunch> {
  const { entry, cwd, variables, forwardedProvider, hostEnvironment } = wish;
  const forwarding =
    forwardedProvider === undefined ? undefined : forwardProvider(entry, forwardedProvider, hostEnvironment);
  const chosen = chooseModel(wish);
  const installation = await installations.find(entry);
  if (!installation.installed) {
    throw new HostError(
      "ACP_SESSION_INIT_FAILED",
      `${entry.label} is not installed: there is no ${entry.launch.command} in PATH. Install it, or name its command in the configuration.`,
    );
  }
  const { launch } = installation;
  const given = { ...launch.env, ...variables, ...forwarding?.variables, ...chosen.variables };
  const env = await keeper.buildEnvironment({
    audience: "agent-command",
    hasScreen: false,
    // With a provider's credentials at hand, an agent has no use for those of others.
    keepSecrets: forwarding === undefined ? (entry.auth?.env ?? []) : [],
    variables: given,
  });
  for (const name of forwarding?.withheld ?? []) if (!Object.hasOwn(given, name)) delete env[name];
  return {
    request: {
      command: launch.command,
      args: [...launch.args, ...(forwarding?.args ?? []), ...chosen.args],
      cwd: entry.cwd ?? cwd,
      env,
    },
    model: chosen.model,
    secrets: forwarding?.secrets ?? [],
  };
}

function chooseModel({ entry, model, offersModels }: LaunchWish): {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly model: string | undefined;
} {
  const choice = findLaunchChoice(entry, offersModels);
  if (model === undefined || choice === undefined) return { args: [], variables: {}, model: undefined };
  if (choice.by === "env") return { args: [], variables: { [choice.name]: model }, model };
  // Whoever chooses a model must not choose any other option of the program.
  if (model.startsWith("-")) {
    throw new HostError("ACP_INVALID_OPTION", `model: '${model}' is the name of no model.`);
  }
  return { args: [choice.flag, model], variables: {}, model };
}
