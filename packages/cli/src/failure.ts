// Reports of failed commands, for people and for scripts: one sentence, its code, and what fixes it (C14).
import { ClientError, type ClientErrorKind } from "@holdfast/ahp/client";
import { ConnectionError, RpcError } from "@holdfast/jsonrpc";
import { HoldfastError } from "@holdfast/sdk";
import { CommandError } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { safeJson, safeLines } from "./safe-text.ts";

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string | undefined;
  readonly exitCode: number;
}

const remedies: Readonly<Record<string, string>> = {
  CONNECTION_FAILED:
    "Check with `holdfast doctor` whether the host runs, or start one with `holdfast serve`.",
  HOST_NOT_RESPONDING:
    "Retry in 15 s, when the watchdog has ended a host that hangs, or end it with `holdfast stop`.",
  UNAUTHORIZED: "Set HOLDFAST_TOKEN to the host's token, or to a key made with `holdfast keys create`.",
  ACP_UNKNOWN_AGENT: "`holdfast agents` lists the agents.",
  ACP_SESSION_NOT_FOUND: "`holdfast ls --all` lists the sessions.",
  TERMINAL_NOT_FOUND: "`holdfast terminals` lists the terminals.",
  TERMINAL_NOT_HELD:
    "`holdfast attach` takes a terminal over from an agent, with --take-over also from another client.",
};

/** The report of an error; undefined for an internal one. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof CommandError) {
    const { code, message, remedy, exitCode } = error;
    return { code, message, remedy, exitCode };
  }
  if (error instanceof HoldfastError) {
    const { code, message, remedy } = error;
    return { code, message, remedy: remedy?.text ?? remedies[code], exitCode: exitCodeOf(error) };
  }
  if (error instanceof RpcError) {
    return { code: `RPC_${error.code}`, message: error.message, exitCode: EXIT_CODES.declined };
  }
  if (error instanceof ClientError) {
    const code = clientErrorCodes[error.kind] ?? "CONNECTION_FAILED";
    const exitCode = error.kind === "refused" ? EXIT_CODES.refused : EXIT_CODES.unreachable;
    // A host that responds in another way than it should does run.
    const remedy = error.kind === "unsupported" ? undefined : remedies[code];
    return { code, message: error.message, remedy, exitCode };
  }
  // A request cut off by the end of the connection fails with the reason for that end.
  return error instanceof ConnectionError && error.cause !== undefined ? failureOf(error.cause) : undefined;
}

const clientErrorCodes: Partial<Record<ClientErrorKind, string>> = {
  refused: "UNAUTHORIZED",
  "not-responding": "HOST_NOT_RESPONDING",
};

/** For a person. A message may quote an agent's output, or the host's log (C880). */
export function describeFailure({ code, message, remedy }: Failure): string {
  const lines = [`holdfast: ${message} (${code})`];
  // Some sentences of the host end with their remedy.
  if (remedy !== undefined && !message.includes(remedy)) lines.push(`  ${remedy}`);
  return `${safeLines(lines.join("\n"))}\n`;
}

export function failureLine({ code, message, remedy, exitCode }: Failure): string {
  return `${safeJson({ error: { code, message, remedy, exitCode } })}\n`;
}

const unreachableCodes: ReadonlySet<string> = new Set([
  "CONNECTION_FAILED",
  "HOST_NOT_RESPONDING",
  "STREAM_BROKEN",
]);

function exitCodeOf({ code, status }: HoldfastError): number {
  if (unreachableCodes.has(code)) return EXIT_CODES.unreachable;
  if (status === 401 || status === 403) return EXIT_CODES.refused;
  return status === 404 ? EXIT_CODES.missing : EXIT_CODES.declined;
}
