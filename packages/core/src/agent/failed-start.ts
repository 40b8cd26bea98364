// Says why an agent could not be started, in its own words where it had any.
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";

/** The error for a start that failed: `what` begins its sentence, and a dead agent's last lines end it. */
export function explainFailedStart(what: string, cause: unknown, stderrTail: readonly string[]): HostError {
  if (cause instanceof HostError) return cause;
  const words = cause instanceof Error ? cause.message : String(cause);
  // An agent that answered has said what there is to say; one that did not may have said it on stderr.
  const isSilent = cause instanceof RpcError || stderrTail.length === 0;
  const said = isSilent ? "" : ` Its last words: ${stderrTail.slice(-5).join(" | ")}`;
  return new HostError("ACP_SESSION_INIT_FAILED", `${what}: ${words}.${said}`, { cause });
}
