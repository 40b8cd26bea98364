// The error that a caller gets, with a declared code and its sentence.
import { ERRORS, type ErrorCode } from "./errors.ts";

/** Options of a `HostError`: its cause, and facts for the caller such as a permission's name. */
export interface HostErrorOptions extends ErrorOptions {
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An error that is meant for the caller: its message goes over the wire as it is. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: HostErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = options.details ?? {};
  }

  /** The HTTP status of a response that carries this error. */
  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The number of a JSON-RPC response that carries this error. */
  get rpcCode(): number {
    return ERRORS[this.code].rpcCode;
  }
}

/** The error for an agent that is neither an id nor a handle; clients compare its sentence to the letter. */
export function unknownAgent(agentId: string, agents: readonly string[] = []): HostError {
  return new HostError("ACP_UNKNOWN_AGENT", `No ACP provider found for agent '${agentId}'.`, {
    details: { agentId, agents },
  });
}

/** Makes anything thrown fit for a caller: a `HostError` stays, the rest becomes `INTERNAL` with the id to look up in the log. */
export function toHostError(error: unknown, logId: string): HostError {
  if (error instanceof HostError) return error;
  return new HostError(
    "INTERNAL",
    `Internal error. Search the host's log for ${logId}, and report the error if it happens again.`,
    { cause: error, details: { logId } },
  );
}
