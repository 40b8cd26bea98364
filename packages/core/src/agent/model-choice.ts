// How an agent's model is chosen: which way fits it, and which of its options is the one for models.
import type { ConfigOption } from "@holdfast/ahp";
import type { ModelChoice } from "@holdfast/protocol";
import type { AgentEntry } from "./agent-entry.ts";

/** A way to choose a model when the agent is started. */
export type LaunchChoice = Extract<ModelChoice, { by: "flag" | "env" }>;

/** An option with a list of values. */
export type SelectOption = Extract<ConfigOption, { type: "select" }>;

/** The option by which an agent's model is chosen in a session: the one that the catalogue names, else any of that category. */
export function findModelOption(
  { model }: AgentEntry,
  options: readonly ConfigOption[],
): SelectOption | undefined {
  const ids = new Set(model.flatMap((choice) => (choice.by === "configOption" ? [choice.id] : [])));
  const selects = options.filter((option): option is SelectOption => option.type === "select");
  return selects.find(({ id }) => ids.has(id)) ?? selects.find(({ category }) => category === "model");
}

/**
 * How the model is chosen at the start, if it is then.
 * A way that the catalogue puts first is always taken; another only once the agent is known to offer no choice in its sessions.
 */
export function findLaunchChoice(
  { model: [first, ...others] }: AgentEntry,
  offersModels: boolean | undefined,
): LaunchChoice | undefined {
  if (first !== undefined && isLaunchChoice(first)) return first;
  return offersModels === false ? others.find(isLaunchChoice) : undefined;
}

function isLaunchChoice(choice: ModelChoice): choice is LaunchChoice {
  return choice.by === "flag" || choice.by === "env";
}
