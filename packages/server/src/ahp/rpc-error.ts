// Translates what was thrown into the errors of JSON-RPC, with AHP's numbers where it has one.
import { isJsonObject } from "@holdfast/ahp";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { ErrorCode as HostErrorCode } from "@holdfast/protocol";
import type { AhpErrorName, Dialect } from "@holdfast/ahp/dialects";
import { toCallerError } from "../caller-error.ts";

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

/** The error of a request that failed. */
export function toRpcError(thrown: unknown, dialect: Dialect, report: (error: unknown) => string): RpcError {
  const error = toCallerError(thrown, report);
  if (error instanceof RpcError) return error;
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

/** An error for a notification, which has no id to answer to; it has the form of the error for what is no JSON. */
export function errorWithoutId({ code, message }: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
}

/** The error for params that do not have the form that a method takes. */
export function invalidParams(problem: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, problem);
}

/** The error for params that a reader turned down; its problem names a member, where they have members. */
export function wrongParams(params: unknown, problem: string): RpcError {
  return invalidParams(isJsonObject(params) ? problem : "params: expected an object");
}
