// Reads the parameters of `terminal/create`, naming the field that is wrong.
import type { TerminalRequest } from "../engine.ts";
import { invalidRequest } from "../terminal-error.ts";
import type { CreateTerminalParams } from "./shapes.ts";

/** The request as the engine wants it, with the session it belongs to. */
export interface CreateRequest {
  readonly sessionId: string;
  readonly terminal: TerminalRequest & { readonly args: readonly string[]; readonly cwd: string };
}

/** Checks what crosses the wire; the values themselves are checked by the engine. */
export function readCreateParams(params: CreateTerminalParams, sessionCwd: (sessionId: string) => string): CreateRequest {
  if (typeof params !== "object" || params === null) throw invalidRequest("params", "an object");
  const { sessionId, command } = params;
  if (typeof sessionId !== "string" || sessionId === "") throw invalidRequest("sessionId", "a non-empty string");
  if (typeof command !== "string") throw invalidRequest("command", "a string");
  const args = params.args ?? [];
  if (!Array.isArray(args)) throw invalidRequest("args", "an array of strings");
  const cwd = params.cwd ?? sessionCwd(sessionId);
  if (typeof cwd !== "string") throw invalidRequest("cwd", "an absolute path");
  const limit = params.outputByteLimit ?? undefined;
  if (limit !== undefined && (typeof limit !== "number" || !(limit >= 0))) throw invalidRequest("outputByteLimit", "a number of bytes, 0 or more");
  return { sessionId, terminal: { command, args, cwd, env: params.env ?? undefined, outputByteLimit: limit, ...readMeta(params._meta) } };
}

function readMeta(meta: CreateTerminalParams["_meta"]): Pick<TerminalRequest, "kind" | "size"> {
  const wish = meta?.["holdfast"];
  if (typeof wish !== "object" || wish === null) return {};
  const { tty, columns, rows } = wish as { tty?: unknown; columns?: number; rows?: number };
  return tty === true ? { kind: "tty", size: { ...(columns !== undefined && { columns }), ...(rows !== undefined && { rows }) } } : {};
}
