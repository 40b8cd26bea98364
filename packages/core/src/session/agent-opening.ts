// Opens the agent's own session: the one that it had before, or a new one, with what was lost on the way.
import { RpcError } from "@holdfast/jsonrpc";
import { ERRORS, HostError, type Quirk } from "@holdfast/protocol";
import type { AcpMcpServer, AcpSessionResult } from "../agent/acp.ts";
import { listReopenMethods } from "../agent/agent-abilities.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import { saysLoginNeeded, saysSessionGone } from "../agent/session-gone.ts";

/** What a caller wants to happen when the agent has lost its memory of the turns before. */
export type OnContextLost = "continue" | "fail";

/** What the agent had before: no session yet, one that is known by its id, or one in a directory that was left. */
export type EarlierSession =
  | { readonly kind: "none" }
  | { readonly kind: "known"; readonly sessionId: string }
  | { readonly kind: "elsewhere" };

/** What a session is opened with. */
export interface SessionOpening {
  readonly earlier: EarlierSession;
  readonly cwd: string;
  readonly mcpServers: readonly AcpMcpServer[];
  readonly quirks: readonly Quirk[];
  readonly onContextLost: OnContextLost;
}

/** A session that the agent has opened; `loss` says why it does not remember the turns before, if it does not. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly result: AcpSessionResult;
  readonly loss: string | undefined;
}

/** Opens the session; a move to another directory is a loss that was asked for, and so never an error. */
export async function openSession(agent: AgentConnection, opening: SessionOpening): Promise<OpenedSession> {
  const { earlier, cwd, onContextLost } = opening;
  if (earlier.kind === "none") return { ...(await beginSession(agent, opening)), loss: undefined };
  if (earlier.kind === "elsewhere") {
    const loss = `The session was moved to ${cwd}, where the agent began anew.`;
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
  if (result.sessionId === undefined) throw new Error("it did not name the session that it opened");
  return { sessionId: result.sessionId, result };
}

type Reopening =
  | { readonly isLost: false; readonly result: AcpSessionResult }
  | { readonly isLost: true; readonly reason: string };

/**
 * Takes a session up again: by `session/resume`, else by `session/load`.
 * It is lost when the agent can do neither, or says that it does not have it; any other failure may pass, and is thrown.
 */
async function reopenSession(
  agent: AgentConnection,
  sessionId: string,
  { cwd, mcpServers, quirks }: SessionOpening,
): Promise<Reopening> {
  const methods = listReopenMethods(agent.info, quirks);
  if (methods.length === 0) return { isLost: true, reason: "The agent cannot bring its sessions back." };
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
  if (passing !== undefined) throw passing;
  return { isLost: true, reason: `The agent no longer has its session: ${refusals[0]?.message ?? ""}` };
}
