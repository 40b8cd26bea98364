// Translates what was thrown into the errors of JSON-RPC, with AHP's numbers where it has one.
import { explainStorageError } from "@holdfast/core";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { HostError, type ErrorCode as HostErrorCode } from "@holdfast/protocol";
import type { AhpErrorName, Dialect } from "@holdfast/ahp/dialects";

/** Errors that AHP numbers more exactly than the rest of the host. */
const names: { readonly [Code in HostErrorCode]?: AhpErrorName } = {
  TERMINAL_NOT_FOUND: "notFound",
  TERMINAL_EXISTS: "alreadyExists",
  SESSION_EXISTS: "sessionAlreadyExists",
  NOT_FOUND: "contentNotFound",
  PERMISSION_DENIED: "permissionDenied",
  FILE_NOT_FOUND: "notFound",
  FILE_EXISTS: "alreadyExists",
  FILE_CHANGED: "conflict",
};

/** The answer to a request that failed; what was not meant for callers is written to the log, and found there by its id. */
export function toRpcError(thrown: unknown, dialect: Dialect, report: (error: unknown) => string): RpcError {
  const error = explainStorageError(thrown);
  if (error instanceof RpcError) return error;
  if (!(error instanceof HostError)) {
    const logId = report(error);
    return new RpcError(
      ErrorCode.internalError,
      `Something went wrong inside the host. Look for ${logId} in its log.`,
    );
  }
  const name = names[error.code];
  const number = name === undefined ? error.rpcCode : dialect.errorNumbers[name];
  const { remedy, retryable, request } = error.details;
  return new RpcError(number, error.message, {
    code: error.code,
    ...(retryable === true && { retryable }),
    ...(remedy !== undefined && { remedy }),
    // The request after which this one would be allowed.
    ...(request !== undefined && { request }),
  });
}

/** The error for params that do not have the form that a method takes. */
export function invalidParams(problem: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, problem);
}
