// Hands a provider's credentials from the host's environment to an agent, under the names that the agent reads.
import { type ForwardedVariable, HostError } from "@holdfast/protocol";
import type { AgentEntry } from "./agent-entry.ts";

/** Variables by their names, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The launch settings that make an agent use another provider. */
export interface ProviderForwarding {
  readonly args: readonly string[];
  /** Only the names that the catalogue maps, with the host's values. */
  readonly variables: Readonly<Record<string, string>>;
  /** The values among them that must not be shown. */
  readonly secrets: readonly string[];
  /** Where credentials are read from: the agent is to have none of these but what is in `variables`. */
  readonly withheld: readonly string[];
}

const secretName = /(?:KEY|TOKEN|SECRET|PASSWORD)$/;

/**
 * How a provider reaches an agent.
 * A provider that cannot be forwarded to it, and credentials that are not set, are errors that name what is possible or missing.
 */
export function forwardProvider(
  entry: AgentEntry,
  provider: string,
  hostEnvironment: Environment,
): ProviderForwarding {
  const forwarding = Object.hasOwn(entry.forwarding, provider) ? entry.forwarding[provider] : undefined;
  if (forwarding === undefined) throw notForwardable(entry, provider);
  const found = forwarding.env.map((variable) => ({ variable, value: readValue(variable, hostEnvironment) }));
  const missing = found.flatMap(({ variable, value }) =>
    value === undefined && variable.required ? [variable.from.join(" or ")] : [],
  );
  if (missing.length > 0) {
    throw new HostError(
      "ACP_SESSION_INIT_FAILED",
      `The provider ${provider} cannot be forwarded to ${entry.label}: set ${missing.join(" and ")} in the host's environment, and restart the host.`,
      { details: { provider, missing } },
    );
  }
  const variables = Object.fromEntries(
    found.flatMap(({ variable, value }) => (value === undefined ? [] : [[variable.name, value] as const])),
  );
  return { args: forwarding.args, variables, secrets: listSecrets(variables), withheld: listSources(entry) };
}

/** The first of the host's variables that is set; an empty one counts as unset. */
function readValue({ from, fallback }: ForwardedVariable, environment: Environment): string | undefined {
  const name = from.find((each) => (environment[each] ?? "") !== "");
  return name === undefined ? fallback : environment[name];
}

function listSecrets(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (secretName.test(name)) return [value];
    // A gateway's address may contain a password.
    const password = URL.canParse(value) ? new URL(value).password : "";
    return password === "" ? [] : [password, value];
  });
}

function listSources({ forwarding }: AgentEntry): string[] {
  const variables = Object.values(forwarding).flatMap(({ env }) => env);
  return [...new Set(variables.flatMap(({ name, from }) => [name, ...from]))];
}

function notForwardable({ label, forwarding }: AgentEntry, provider: string): HostError {
  const names = Object.keys(forwarding);
  const possible =
    names.length === 0
      ? "No provider can be forwarded to it."
      : `These can be forwarded to it: ${names.join(", ")}.`;
  return new HostError(
    "ACP_INVALID_OPTION",
    `forwardedProvider: ${label} does not support the provider '${provider}'. ${possible}`,
    { details: { provider, forwardableProviders: names } },
  );
}
