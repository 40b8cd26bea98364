// Sign-in of agents: the errors that ask for it, the keys that do it without a person, and the remedies for a person.
import type { ErrorInfo, Remedy } from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AcpAuthMethod } from "./acp.ts";
import type { AgentConnection } from "./agent-connection.ts";
import type { AgentEntry } from "./agent-entry.ts";

/** ACP's number for an agent that wants a sign-in first; every agent of the catalogue uses it. */
const authRequired = -32_000;

/** The finer code of an error that a sign-in fixes. */
const SIGN_IN_NEEDED = "sign_in_needed";

type SignInFacts = Pick<AgentEntry, "label" | "auth" | "launch">;

/** Whether an error says that the agent only lacks a sign-in. */
export function saysLoginNeeded(error: unknown): error is RpcError {
  return error instanceof RpcError && error.code === authRequired;
}

/**
 * Opens a session; where the agent asks for a sign-in and offers one by a key that it was started with, that is done first.
 * The agent's first error is thrown when the key does not help.
 */
export async function openSignedIn<Opened>(
  agent: Pick<AgentConnection, "info" | "authenticate">,
  { auth }: Pick<AgentEntry, "auth">,
  environment: Readonly<Record<string, string | undefined>>,
  open: () => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    const method = saysLoginNeeded(error)
      ? findKeyMethod(agent.info.authMethods ?? [], auth, environment)
      : undefined;
    if (method === undefined) throw error;
    try {
      await agent.authenticate(method.id);
    } catch {
      // The key was rejected: that a sign-in is needed is the more useful error.
      throw error;
    }
    return open();
  }
}

/** The remedy for a missing sign-in, from the agent's handshake or the catalogue. */
export function signInRemedy(
  { label, auth, launch }: SignInFacts,
  offered: readonly AcpAuthMethod[] = [],
): Remedy {
  const command = findTerminalCommand(offered, launch) ?? auth?.login;
  const variables = listSignIns(auth).map((names) => names.join(" with "));
  const ways = [
    ...(command === undefined ? [] : [`run \`${command}\``]),
    ...(variables.length === 0 ? [] : [`start the host with ${variables.join(" or ")} in its environment`]),
  ];
  const way = ways.length === 0 ? `run ${label} in a terminal and sign in there` : ways.join(", or ");
  return { text: `To sign in, ${way}.`, ...(command !== undefined && { command }) };
}

/** The sentence for an agent that wants a sign-in. */
function describeSignIn(label: string, said: string, { text }: Remedy): string {
  return `${label} is not signed in (${said.replace(/[.\s]+$/, "")}). ${text}`;
}

/** The error for a session that was refused for want of a sign-in. */
export function explainMissingSignIn(
  entry: SignInFacts,
  cause: RpcError,
  offered?: readonly AcpAuthMethod[],
): HostError {
  const remedy = signInRemedy(entry, offered);
  return new HostError("ACP_SESSION_INIT_FAILED", describeSignIn(entry.label, cause.message, remedy), {
    cause,
    details: { remedy, detailCode: SIGN_IN_NEEDED },
  });
}

/** The details of a `HostError` that an `ErrorInfo` has fields for. */
export function readRemedy({
  remedy,
  detailCode,
}: HostError["details"]): Pick<ErrorInfo, "remedy" | "detailCode"> {
  return {
    ...(remedy !== undefined && { remedy: remedy as Remedy }),
    ...(typeof detailCode === "string" && { detailCode }),
  };
}

/** The sets of variables of which each shows a sign-in. */
export function listSignIns(auth: AgentEntry["auth"]): readonly (readonly string[])[] {
  return auth?.sufficient ?? (auth?.env ?? []).map((name) => [name]);
}

function findKeyMethod(
  offered: readonly AcpAuthMethod[],
  auth: AgentEntry["auth"],
  environment: Readonly<Record<string, string | undefined>>,
): AcpAuthMethod | undefined {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  return offered.find(({ id, type, vars = [] }) => {
    // Older agents name the variables themselves.
    if (type === "env_var") return vars.length > 0 && vars.every(({ name }) => isSet(name));
    return auth?.keyMethods?.some((known) => known.id === id && known.env.some(isSet)) === true;
  });
}

/** The command that an agent offers for a terminal: its own program with more arguments, else a whole one. */
function findTerminalCommand(
  offered: readonly AcpAuthMethod[],
  launch: SignInFacts["launch"],
): string | undefined {
  for (const { type, args = [], _meta } of offered) {
    const given = _meta?.["terminal-auth"];
    if (type === "terminal") return [launch.command, ...launch.args, ...args].map(quote).join(" ");
    if (given?.command !== undefined) return [given.command, ...(given.args ?? [])].map(quote).join(" ");
  }
  return undefined;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
