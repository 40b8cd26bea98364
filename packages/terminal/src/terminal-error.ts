// The one error class of the terminal engine: a code for programs, a message for people, and the invalid field if there is one.

/** Error codes that a program can switch on. */
export type TerminalErrorCode =
  | "invalid_request"
  | "program_not_found"
  | "program_not_executable"
  | "directory_not_found"
  | "device_missing"
  | "spawn_failed"
  | "not_supported"
  | "terminal_not_found"
  | "run_not_found"
  | "too_many_terminals"
  | "outside_roots"
  | "denied"
  | "cancelled"
  | "input_full"
  | "lost"
  | "fenced"
  | "keeper_version"
  | "closed";

/**
 * The JSON-RPC number that an ACP response carries for each code. Internal error (-32603) is for faults of this side
 * only: agents and their models give up on it, though they could name another program or ask the user (T320).
 */
const rpcCodes: Record<TerminalErrorCode, number> = {
  invalid_request: -32602,
  program_not_found: -32602,
  program_not_executable: -32602,
  directory_not_found: -32602,
  device_missing: -32603,
  spawn_failed: -32603,
  not_supported: -32603,
  terminal_not_found: -32002,
  run_not_found: -32603,
  too_many_terminals: -32029,
  outside_roots: -32602,
  denied: -32009,
  cancelled: -32800,
  input_full: -32603,
  lost: -32603,
  fenced: -32603,
  keeper_version: -32603,
  closed: -32603,
};

/** The JSON-RPC number for a code; one that is not known is an internal error. */
export function rpcCodeOf(code: string): number {
  const known: Readonly<Record<string, number>> = rpcCodes;
  return known[code] ?? rpcCodes.spawn_failed;
}

/** Where the fault lies, and what caused it. */
export interface TerminalErrorDetail {
  /** The request's field that is to blame, e.g. `env[2].name`. */
  readonly field?: string | undefined;
  readonly cause?: unknown;
}

/** Every failure that the engine reports on purpose. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
  readonly code: TerminalErrorCode;
  readonly field: string | undefined;

  constructor(code: TerminalErrorCode, message: string, detail: TerminalErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.field = detail.field;
  }

  /** The number for a JSON-RPC error object. */
  get rpcCode(): number {
    return rpcCodes[this.code];
  }
}

/** Makes the error for a request whose field has the wrong shape. */
export function invalidRequest(field: string, expected: string): TerminalError {
  return new TerminalError("invalid_request", `${field} must be ${expected}`, { field });
}
