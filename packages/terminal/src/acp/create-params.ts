// Reads the parameters of `terminal/create`, naming the field that is wrong.
import { checkCommandSize, type CommandStrings } from "../command-size.ts";
import { readNamedLimits } from "../process/limit-units.ts";
import type { RunLimits } from "../process/port.ts";
import { invalidRequest } from "../terminal-error.ts";
import type { CreateTerminalParams } from "./shapes.ts";

/** A terminal as an agent asks for it. */
export interface WantedTerminal {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Exclude<CreateTerminalParams["env"], null>;
  readonly outputByteLimit: number | undefined;
  readonly kind?: "text" | "tty";
  readonly size?: { readonly columns?: number; readonly rows?: number };
  readonly limits?: RunLimits;
  /** The agent asks to run it outside of the session's sandbox; an owner that does not offer that ignores it. */
  readonly isolation?: "none";
}

/** The request, with the session it belongs to. */
export interface CreateRequest {
  readonly sessionId: string;
  readonly terminal: WantedTerminal;
}

/** Checks what crosses the wire; the values themselves are checked by the engine. */
export function readCreateParams(
  params: CreateTerminalParams,
  sessionCwd: (sessionId: string) => string,
): CreateRequest {
  if (typeof params !== "object" || params === null) throw invalidRequest("params", "an object");
  const { sessionId, command } = params;
  if (typeof sessionId !== "string" || sessionId === "") {
    throw invalidRequest("sessionId", "a non-empty string");
  }
  if (typeof command !== "string") throw invalidRequest("command", "a string");
  const args = params.args ?? [];
  if (!Array.isArray(args)) throw invalidRequest("args", "an array of strings");
  // Before anybody is asked about it, or writes it down.
  checkCommandSize(stringsOf(command, args, params.env ?? undefined));
  const cwd = params.cwd ?? sessionCwd(sessionId);
  if (typeof cwd !== "string") throw invalidRequest("cwd", "an absolute path");
  const limit = params.outputByteLimit ?? undefined;
  if (limit !== undefined && (typeof limit !== "number" || !(limit >= 0))) {
    throw invalidRequest("outputByteLimit", "a number of bytes, 0 or more");
  }
  return {
    sessionId,
    terminal: {
      command,
      args,
      cwd,
      env: params.env ?? undefined,
      outputByteLimit: limit,
      ...readMeta(params._meta),
    },
  };
}

/** Values that are no strings are refused by the engine, which names them. */
function* stringsOf(command: string, args: readonly unknown[], env: WantedTerminal["env"]): CommandStrings {
  yield ["command", command];
  for (const [index, arg] of args.entries()) yield [`args[${index}]`, typeof arg === "string" ? arg : ""];
  const variables = Array.isArray(env)
    ? env.map((variable: { name?: unknown; value?: unknown } | null) => [variable?.name, variable?.value])
    : Object.entries(env ?? {});
  for (const [name, value] of variables) yield [`env.${String(name)}`, `${String(name)}=${String(value)}`];
}

interface Wishes {
  readonly tty?: unknown;
  readonly columns?: number;
  readonly rows?: number;
  readonly limits?: unknown;
  readonly isolation?: unknown;
}

function readMeta(
  meta: CreateTerminalParams["_meta"],
): Pick<WantedTerminal, "kind" | "size" | "limits" | "isolation"> {
  const wish = meta?.["holdfast"];
  if (typeof wish !== "object" || wish === null) return {};
  const { tty, columns, rows, limits, isolation }: Wishes = wish;
  if (isolation !== undefined && isolation !== "none") {
    throw invalidRequest("_meta.holdfast.isolation", '"none", or absent');
  }
  return {
    ...(tty === true && {
      kind: "tty",
      size: { ...(columns !== undefined && { columns }), ...(rows !== undefined && { rows }) },
    }),
    ...(limits !== undefined && { limits: readNamedLimits("_meta.holdfast.limits", limits) }),
    ...(isolation !== undefined && { isolation }),
  };
}
