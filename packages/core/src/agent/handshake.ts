// The handshake with an agent: what the host sends, which responses count, and the error of a start that failed.
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import { ACP_VERSION, type AcpInitializeResult, CLIENT_CAPABILITIES } from "./acp.ts";
import { describeError } from "./agent-output.ts";

export function initializeParams(clientVersion: string): object {
  return {
    protocolVersion: ACP_VERSION,
    clientCapabilities: CLIENT_CAPABILITIES,
    clientInfo: { name: "holdfast", title: "Holdfast", version: clientVersion },
  };
}

/** Throws for a response that is not one of ACP version 1. */
export function readInitialized(response: unknown): AcpInitializeResult {
  if (typeof response !== "object" || response === null || Array.isArray(response)) {
    throw new HostError(
      "ACP_SESSION_INIT_FAILED",
      "The agent's response to initialize is not an object. Check its command and arguments, or update the agent.",
    );
  }
  const result = response as AcpInitializeResult;
  // Some agents echo the number they were asked for: the shape says more than the number.
  if (result.agentCapabilities === undefined && result.protocolVersion !== ACP_VERSION) {
    const { protocolVersion } = result as { readonly protocolVersion?: unknown };
    const problem =
      typeof protocolVersion === "number"
        ? `The agent requires ACP version ${protocolVersion}; Holdfast speaks version ${ACP_VERSION}. Use an older version of the agent.`
        : "The agent's response to initialize has no protocolVersion. Check its command and arguments, or update the agent.";
    throw new HostError("ACP_SESSION_INIT_FAILED", problem);
  }
  return result;
}

/** The error for a handshake that failed; `foreign` is what the agent wrote before any message. */
export function explainFailedHandshake(
  foreign: string,
  cause: unknown,
  stderrTail: readonly string[],
): HostError {
  const what =
    foreign === ""
      ? "The agent did not complete the handshake"
      : `The agent does not speak ACP (check its command and arguments); it wrote "${foreign}"`;
  return explainFailedStart(what, cause, stderrTail);
}

/** The error for a start that failed: `what` begins its sentence, and a dead agent's last lines end it. */
export function explainFailedStart(what: string, cause: unknown, stderrTail: readonly string[]): HostError {
  if (cause instanceof HostError) return cause;
  const reason = describeError(cause).replace(/\.$/, "");
  // An agent that responded has given its reason; for one that did not, stderr may have it.
  const isSilent = cause instanceof RpcError || stderrTail.length === 0;
  const said = isSilent ? "" : ` Its last stderr lines: ${stderrTail.slice(-5).join(" | ")}`;
  return new HostError("ACP_SESSION_INIT_FAILED", `${what}: ${reason}.${said}`, { cause });
}
