// Errors of JSON-RPC requests before AHP or ACP numbers them.
import { explainStorageError } from "@holdfast/core";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError, toHostError } from "@holdfast/protocol";

/** The error that a caller gets; one that was not meant for callers is written to the log, and found there by its id. */
export function toCallerError(thrown: unknown, report: (error: unknown) => string): HostError | RpcError {
  const error = explainStorageError(thrown);
  return error instanceof RpcError || error instanceof HostError ? error : toHostError(error, report(error));
}
