// Opening of the agent's own session: the earlier one, or a new one, with the reason for a lost context.
import { RpcError } from "@holdfast/jsonrpc";
import { ERRORS, HostError, type Quirk } from "@holdfast/protocol";
import { type AcpMcpServer, type AcpSessionResult, listReopenMethods } from "../agent/acp.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import { describeError } from "../agent/agent-output.ts";
import { readSessionId } from "../agent/agent-wire.ts";
import { saysLoginNeeded } from "../agent/sign-in.ts";
import type { SessionContext } from "./session-context.ts";

/** The caller's choice for an agent that has lost the context of the turns before. */
export type OnContextLost = "continue" | "fail";

/** The agent's earlier session: none yet, another's to be forked, one that is known by its id, or one in a directory that was left. */
export type EarlierSession =
  | { readonly kind: "none" }
  | { readonly kind: "fork"; readonly sessionId: string }
  | { readonly kind: "known"; readonly sessionId: string }
  | { readonly kind: "elsewhere" };

/** Parameters of a session's opening. */
export interface SessionOpening {
  readonly earlier: EarlierSession;
  readonly cwd: string;
  readonly mcpServers: readonly AcpMcpServer[];
  readonly quirks: readonly Quirk[];
  readonly onContextLost: OnContextLost;
  /** Whether a turn has completed in the earlier session. */
  readonly hasCompletedTurn: boolean;
}

/** A session that the agent has opened; `loss` says why it does not remember the turns before, if it does not. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly result: AcpSessionResult;
  readonly loss: string | undefined;
}

/** The earlier session of a session's agent; `forkOf` is the one whose context a new one begins with. */
export function findEarlier(
  { state, cwd }: Pick<SessionContext, "state" | "cwd">,
  forkOf: string | undefined,
): EarlierSession {
  const { backendId, backendCwd = cwd } = state;
  if (backendId === undefined) {
    return forkOf === undefined ? { kind: "none" } : { kind: "fork", sessionId: forkOf };
  }
  return backendCwd === cwd ? { kind: "known", sessionId: backendId } : { kind: "elsewhere" };
}

/** Whether the agent begins here, and has no session yet that it could lose. */
export function isBeginning({ kind }: EarlierSession): boolean {
  return kind === "none" || kind === "fork";
}

/** Opens the session; a move to another directory is a loss that was asked for, and so never an error. */
export async function openSession(agent: AgentConnection, opening: SessionOpening): Promise<OpenedSession> {
  const { earlier, cwd, onContextLost } = opening;
  if (earlier.kind === "none") return { ...(await beginSession(agent, opening)), loss: undefined };
  if (earlier.kind === "fork") {
    const { mcpServers } = opening;
    const result = await agent.forkSession(earlier.sessionId, cwd, mcpServers);
    return { sessionId: readSessionId(result.sessionId), result, loss: undefined };
  }
  if (earlier.kind === "elsewhere") {
    const loss = `The session moved to ${cwd}, where the agent starts without the earlier context.`;
    return { ...(await beginSession(agent, opening)), loss };
  }
  const { sessionId } = earlier;
  const reopening = await reopenSession(agent, sessionId, opening);
  if (!reopening.isLost) return { sessionId, result: reopening.result, loss: undefined };
  const loss = reopening.reason;
  if (onContextLost === "fail") {
    throw new HostError("ACP_CONTEXT_LOST", `${ERRORS.ACP_CONTEXT_LOST.message} ${loss}`);
  }
  return { ...(await beginSession(agent, opening)), loss };
}

async function beginSession(
  agent: AgentConnection,
  { cwd, mcpServers }: SessionOpening,
): Promise<{ readonly sessionId: string; readonly result: AcpSessionResult }> {
  const result = await agent.newSession(cwd, mcpServers);
  return { sessionId: readSessionId(result.sessionId), result };
}

type Reopening =
  | { readonly isLost: false; readonly result: AcpSessionResult }
  | { readonly isLost: true; readonly reason: string };

/**
 * Takes a session up again: by `session/resume`, else by `session/load`.
 * It is lost when the agent can do neither, or says that it does not have it. Any other failure may pass, and is thrown,
 * unless no turn has completed: Claude Code can never restore such a session, and only says "Internal error" (N736).
 */
async function reopenSession(
  agent: AgentConnection,
  sessionId: string,
  { cwd, mcpServers, quirks, hasCompletedTurn }: SessionOpening,
): Promise<Reopening> {
  const methods = listReopenMethods(agent.info, quirks);
  if (methods.length === 0) return { isLost: true, reason: "The agent cannot resume its sessions." };
  const refusals: RpcError[] = [];
  for (const method of methods) {
    try {
      return { isLost: false, result: await agent.reopenSession(method, sessionId, cwd, mcpServers) };
    } catch (error) {
      // An agent that is silent, dead or not logged in does no better when it is asked in another way.
      if (!(error instanceof RpcError) || saysLoginNeeded(error)) throw error;
      refusals.push(error);
    }
  }
  const passing = refusals.find((refusal) => !saysSessionGone(refusal));
  if (passing !== undefined && hasCompletedTurn) throw passing;
  if (passing !== undefined) {
    return { isLost: true, reason: `The agent could not restore its session: ${describeError(passing)}` };
  }
  return { isLost: true, reason: `The agent no longer has its session: ${refusals[0]?.message ?? ""}` };
}

const resourceNotFound = -32_002;
const methodNotFound = -32_601;

const subject = "(?:session|conversation|thread|rollout|chat)";
/** A colon or a full stop ends the part about the session: "cannot load session: model not found" is not about it. */
const saysAbsent = new RegExp(
  [
    `\\b${subject}\\b[^.:;]{0,80}?(?:not found|not exist|doesn't exist|not known|is unknown|is gone|no longer|expired|cannot be loaded)`,
    `\\b(?:no|unknown|invalid|missing|such|saved|find) ${subject}\\b`,
    `not found[^.;]{0,20}\\b${subject}\\b`,
  ].join("|"),
  "i",
);

/**
 * Whether an error means that the agent does not have a session, or cannot load any.
 * Agents have no common code for it: some say -32002, others -32602 or -32603 with the reason in the message or the data.
 * Everything else may pass, also an error without a reason.
 */
export function saysSessionGone(error: RpcError): boolean {
  const { code, message, data } = error;
  if (saysLoginNeeded(error)) return false;
  if (code === resourceNotFound || code === methodNotFound) return true;
  return saysAbsent.test(`${message}\n${typeof data === "string" ? data : (JSON.stringify(data) ?? "")}`);
}
