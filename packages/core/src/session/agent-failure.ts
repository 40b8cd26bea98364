// The error of an agent that could not be started or set, and of one whose process ended between turns.
import { type ErrorInfo, limitWords } from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { TreeProcess } from "@holdfast/terminal/port";
import type { AgentConnection, AgentExit } from "../agent/agent-connection.ts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Redact } from "../agent/agent-output.ts";
import { describeProcesses } from "../agent/background-processes.ts";
import { explainFailedStart } from "../agent/handshake.ts";
import { explainMissingSignIn, saysLoginNeeded } from "../agent/sign-in.ts";

/** The reason why an agent could not be started or resumed; `agent` is absent where no process was. */
export function explainStart(
  entry: AgentEntry,
  cause: unknown,
  agent: AgentConnection | undefined,
  stderrTail: readonly string[],
): HostError {
  return saysLoginNeeded(cause)
    ? explainMissingSignIn(entry, cause, agent?.info.authMethods)
    : explainFailedStart(`${entry.label} could not be started`, cause, stderrTail);
}

/** The reason why something could not be set: the agent rejected it, died or is silent. */
export function explainUnset(cause: unknown, redact: Redact): HostError {
  if (cause instanceof HostError) return cause;
  const reason = redact(cause instanceof Error ? cause.message : String(cause));
  return new HostError(
    "ACP_AGENT_EXITED",
    `The agent exited or stopped responding before anything was set: ${reason}. Send the request again.`,
    { cause },
  );
}

/** The reason why an agent is not restarted for a model: it cannot resume, or has work in the background. */
export function explainHarmfulRestart(
  { label }: AgentEntry,
  model: string,
  { canResume, background }: { readonly canResume: boolean; readonly background: readonly TreeProcess[] },
  redact: Redact,
): HostError {
  const harm = canResume
    ? `would end what it runs in the background: ${redact(describeProcesses(background))}`
    : "would lose the context of the conversation";
  return new HostError(
    "ACP_INVALID_OPTION",
    `model: ${label} sets its model only when it starts, and a restart ${harm}. Open a new session with '${model}'.`,
  );
}

export function describeIdleExit({ stderrTail, limit }: AgentExit): ErrorInfo {
  const message =
    limit === undefined ? "The agent's process ended." : `The agent was stopped: ${limitWords(limit)}.`;
  return { code: "ACP_AGENT_EXITED", message, stderrTail };
}
