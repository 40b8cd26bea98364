// Errors of JSON-RPC requests before AHP or ACP numbers them.
import { explainStorageError } from "@holdfast/core";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError, toHostError } from "@holdfast/protocol";

/** The error that a caller gets; one that was not meant for callers is written to the log, and found there by its id. */
export function toCallerError(thrown: unknown, report: (error: unknown) => string): HostError | RpcError {
  const error = explainStorageError(thrown);
  if (error instanceof RpcError) return error;
  return error instanceof HostError ? withAgents(error) : toHostError(error, report(error));
}

/** Clients of the app API compare the sentence to the letter (P3); here it also lists the agents (E835). */
function withAgents(error: HostError): HostError {
  const { agents } = error.details;
  if (error.code !== "ACP_UNKNOWN_AGENT" || !Array.isArray(agents) || agents.length === 0) return error;
  return new HostError(error.code, `${error.message} Choose one of: ${agents.join(", ")}.`, {
    cause: error,
    details: error.details,
  });
}
