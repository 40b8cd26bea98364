// The error of a turn that failed: what its agent said, or how the agent's process ended.
import { type ErrorInfo, limitWords } from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AgentConnection, AgentExit } from "../agent/agent-connection.ts";
import { describeError } from "../agent/agent-output.ts";
import { explainMissingSignIn, readRemedy, saysLoginNeeded } from "../agent/sign-in.ts";
import type { SessionContext } from "./session-context.ts";

/** The exit behind a failure: a dead agent's last lines say more than the broken pipe by which the host noticed. */
export async function findExit(
  cause: unknown,
  agent: AgentConnection | undefined,
): Promise<AgentExit | undefined> {
  if (agent === undefined || cause instanceof RpcError) return undefined;
  return Promise.race([agent.exited, exitNoticed()]);
}

export function describeExit(exit: AgentExit): ErrorInfo {
  const { stderrTail } = exit;
  return { code: "ACP_AGENT_EXITED", message: explainExit(exit), retryable: true, stderrTail };
}

export function explainFailure(
  cause: unknown,
  context: Pick<SessionContext, "entry" | "redact">,
  agent: AgentConnection | undefined,
): ErrorInfo {
  const known = saysLoginNeeded(cause)
    ? explainMissingSignIn(context.entry, cause, agent?.info.authMethods)
    : cause;
  if (known instanceof HostError) {
    const { message, details } = known;
    // The session is there: it is the turn that failed.
    const code = known === cause ? known.code : "ACP_TURN_FAILED";
    return {
      code,
      message,
      ...(details["retryable"] === true && { retryable: true }),
      ...readRemedy(details),
    };
  }
  const { code } = cause as { code?: string | number };
  return {
    code: "ACP_TURN_FAILED",
    message: context.redact(describeError(cause)),
    ...(code !== undefined && { detailCode: `${code}` }),
  };
}

/** A dead process breaks its connection first; its exit is reported by the spawn helper soon after, or not at all. */
const exitReportMs = 250;

function exitNoticed(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, exitReportMs, undefined);
  });
}

function explainExit({ closedOutput, limit, signal, exitCode }: AgentExit): string {
  if (closedOutput) {
    return "The agent closed its output during the turn, and the host ended its process. Send the message again to restart it.";
  }
  if (limit !== undefined) {
    return `The agent was stopped: ${limitWords(limit)}. Send the message again to restart it, or raise the limit.`;
  }
  const how = signal ?? `exit code ${exitCode ?? "unknown"}`;
  return `The agent's process exited during the turn (${how}). Send the message again to restart it.`;
}
