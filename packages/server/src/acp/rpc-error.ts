// Errors as ACP clients know them: its own numbers where it has one, and the host's code beside the sentence.
import type { ErrorInfo } from "@holdfast/ahp";
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import type { HostError, ErrorCode as HostErrorCode } from "@holdfast/protocol";
import { toCallerError } from "../caller-error.ts";

/** Numbers that ACP gives a meaning to besides those of JSON-RPC. */
const ACP_ERROR = { authRequired: -32000, resourceNotFound: -32002 } as const;

const notFound: ReadonlySet<HostErrorCode> = new Set(["ACP_SESSION_NOT_FOUND", "TERMINAL_NOT_FOUND"]);
const signInNeeded = "sign_in_needed";

/** The error of a request that failed. */
export function toRpcError(thrown: unknown, report: (error: unknown) => string): RpcError {
  const error = toCallerError(thrown, report);
  if (error instanceof RpcError) return error;
  const { code, message, details } = error;
  return new RpcError(numberOf(error), message, { code, ...details });
}

/** The error of a prompt whose turn failed or was interrupted. */
export function turnError({ code, message, detailCode, retryable, remedy }: ErrorInfo): RpcError {
  const number = detailCode === signInNeeded ? ACP_ERROR.authRequired : ErrorCode.internalError;
  return new RpcError(number, message, {
    code,
    ...(detailCode !== undefined && { detailCode }),
    ...(retryable !== undefined && { retryable }),
    ...(remedy !== undefined && { remedy }),
  });
}

function numberOf({ code, details, rpcCode }: HostError): number {
  if (details["detailCode"] === signInNeeded) return ACP_ERROR.authRequired;
  return notFound.has(code) ? ACP_ERROR.resourceNotFound : rpcCode;
}
