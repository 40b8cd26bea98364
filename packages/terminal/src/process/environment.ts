// Builds the environment of a run: the login shell's, less secrets, with defaults for runs without a keyboard (T4).
import { invalidRequest } from "../terminal-error.ts";
import { PROVIDER_SECRETS } from "./provider-secrets.ts";
import type { EnvironmentRequest, RequestVariables } from "./port.ts";
import { checkVariable } from "./run-request.ts";

/** The environment that a request starts from; later parts win. */
interface EnvironmentParts extends EnvironmentRequest {
  readonly base: Readonly<Record<string, string | undefined>>;
}

/** Our own variables, tokens among them, are nobody else's business. */
const ownPrefix = "HOLDFAST_";

/** They name the window that the host was started in, which is not the window of a run (T511). */
const windowVariables: ReadonlySet<string> = new Set(["TMUX", "TMUX_PANE"]);

const providerSecrets = new Set(PROVIDER_SECRETS);

/** Names that tools give to their secrets, and the sockets of agents that use some. */
const secretName =
  /(?:_|^)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|PRIVATE_KEY|ACCESS_KEY)(?:_|$)|^AWS_|^AZURE_|^GOOGLE_APPLICATION_|^SSH_AUTH_SOCK$|^SSH_AGENT_|^GPG_|^DBUS_SESSION/;

/** Nobody sits at the keyboard: output is not paged, and what would ask fails instead of waiting. */
const unattended: Readonly<Record<string, string>> = {
  PAGER: "cat",
  MANPAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  SYSTEMD_PAGER: "cat",
  AWS_PAGER: "",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  SSH_ASKPASS: "/bin/false",
  SSH_ASKPASS_REQUIRE: "force",
  SUDO_ASKPASS: "/bin/false",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
};

/** Variables that describe a tty run's screen to its programs. */
export const SCREEN_VARIABLES = { TERM: "xterm-256color", COLORTERM: "truecolor" } as const;

/** The environment for one run. */
export function buildEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { audience, hasScreen } = parts;
  const kept = new Set(parts.keepSecrets);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.base)) {
    if (value === undefined || name.startsWith(ownPrefix) || windowVariables.has(name)) continue;
    if (parts.withoutSecrets === true && secretName.test(name) && !kept.has(name)) continue;
    if (audience === "agent-command" && providerSecrets.has(name) && !kept.has(name)) continue;
    environment[name] = value;
  }
  if (audience === "agent-command") Object.assign(environment, unattended);
  if (hasScreen) Object.assign(environment, SCREEN_VARIABLES);
  else if (audience === "agent-command") environment["TERM"] = "dumb";
  return mergeVariables(environment, parts.variables);
}

/** An environment with a request's variables on top; nothing else is added or removed. */
export function mergeVariables(
  base: Readonly<Record<string, string | undefined>>,
  variables: RequestVariables | undefined,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) if (value !== undefined) environment[name] = value;
  for (const [name, value] of listVariables(variables)) environment[name] = value;
  return environment;
}

function listVariables(variables: RequestVariables | undefined): [string, string][] {
  if (variables === undefined || variables === null) return [];
  if (typeof variables !== "object") throw invalidRequest("env", "an array of {name, value} or a map");
  if (!Array.isArray(variables)) {
    return Object.entries(variables as Record<string, string>).map(([name, value]) => {
      checkVariable(`env.${name}`, name, value);
      return [name, value];
    });
  }
  return (variables as readonly { name: string; value: string }[]).map((variable, index) => {
    if (typeof variable !== "object" || variable === null) {
      throw invalidRequest(`env[${index}]`, "{name, value}");
    }
    checkVariable(`env[${index}].name`, variable.name, "");
    checkVariable(`env[${index}].value`, "value", variable.value);
    return [variable.name, variable.value];
  });
}
