// Tells a person and a script why a command failed: one sentence, its code, and what mends it (C14).
import { ClientError } from "@holdfast/ahp/client";
import { RpcError } from "@holdfast/jsonrpc";
import { HoldfastError } from "@holdfast/sdk";
import { CommandError } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";

/** Why a command failed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string | undefined;
  readonly exitCode: number;
}

const remedies: Readonly<Record<string, string>> = {
  CONNECTION_FAILED: "Look whether the host runs with `holdfast doctor`, or start one with `holdfast serve`.",
  UNAUTHORIZED: "Put the host's token, or a key made with `holdfast keys create`, into HOLDFAST_TOKEN.",
  ACP_SESSION_NOT_FOUND: "`holdfast ls --all` lists the sessions.",
  TERMINAL_NOT_FOUND: "`holdfast terminals` lists the terminals.",
  TERMINAL_NOT_HELD: "`holdfast attach` takes a terminal over when you press a key in it.",
};

/** What is told of an error; undefined when it is nothing that a person can mend. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof CommandError) {
    const { code, message, remedy, exitCode } = error;
    return { code, message, remedy, exitCode };
  }
  if (error instanceof HoldfastError) {
    const { code, message } = error;
    return { code, message, remedy: remedies[code], exitCode: exitCodeOf(error) };
  }
  if (error instanceof RpcError) {
    return { code: `RPC_${error.code}`, message: error.message, exitCode: EXIT_CODES.declined };
  }
  if (error instanceof ClientError) {
    const isRefused = error.kind === "refused";
    const code = isRefused ? "UNAUTHORIZED" : "CONNECTION_FAILED";
    const exitCode = isRefused ? EXIT_CODES.refused : EXIT_CODES.unreachable;
    return { code, message: error.message, remedy: remedies[code], exitCode };
  }
  return undefined;
}

/** The lines that people read. */
export function describeFailure({ code, message, remedy }: Failure): string {
  const lines = [`holdfast: ${message} (${code})`];
  if (remedy !== undefined) lines.push(`  ${remedy}`);
  return `${lines.join("\n")}\n`;
}

/** The one line that programs read. */
export function failureLine({ code, message, remedy, exitCode }: Failure): string {
  return `${JSON.stringify({ error: { code, message, remedy, exitCode } })}\n`;
}

function exitCodeOf({ code, status }: HoldfastError): number {
  if (code === "CONNECTION_FAILED" || code === "STREAM_BROKEN") return EXIT_CODES.unreachable;
  if (status === 401 || status === 403) return EXIT_CODES.refused;
  return status === 404 ? EXIT_CODES.missing : EXIT_CODES.declined;
}
