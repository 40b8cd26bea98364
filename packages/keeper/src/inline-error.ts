// Turns the terminal engine's errors into the port's.
import { KEEPER_ERROR_CODES, KeeperError, type KeeperErrorCode } from "./port.ts";

/** The port's error for a failure of the engine; what is no failure of the engine stays what it is. */
export function toKeeperError(error: unknown): unknown {
  if (!isEngineError(error)) return error;
  const { message, field } = error;
  return new KeeperError(codeOf(error.code), message, {
    cause: error,
    ...(field !== undefined && { field }),
  });
}

/** The engine's error class is not part of its `process` entry, so it is known by its name and its code. */
function isEngineError(error: unknown): error is Error & { readonly code: string; readonly field?: string } {
  return error instanceof Error && error.name === "TerminalError" && "code" in error;
}

function codeOf(engineCode: string): KeeperErrorCode {
  if (engineCode === "helper_lost") return "lost";
  return KEEPER_ERROR_CODES.find((code) => code === engineCode) ?? "spawn_failed";
}
