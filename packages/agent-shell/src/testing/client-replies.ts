// Replies of a client with real terminals and files.
import { readFile, writeFile } from "node:fs/promises";
import { RpcError } from "@holdfast/jsonrpc";
import type { RequestHandlers } from "@holdfast/jsonrpc";
import type { AcpTerminals } from "@holdfast/terminal/acp";
import type { ClientMethods, ElicitationResult, PermissionOutcome } from "../acp/client-methods.ts";

type ClientRequests = ClientMethods["requests"];

/** The params of one of the agent's requests. */
export type Params<Method extends keyof ClientRequests> = ClientRequests[Method]["params"];

type Reply<Method extends keyof ClientRequests> = (
  params: Params<Method>,
  signal: AbortSignal,
) => ClientRequests[Method]["result"] | Promise<ClientRequests[Method]["result"]>;

/** Answers to some of the agent's requests. */
export type Replies = { [Method in keyof ClientRequests]?: Reply<Method> };

/** Terminals and settings behind the replies. */
export interface ReplyOptions {
  readonly terminals: AcpTerminals;
  readonly permission: (
    params: Params<"session/request_permission">,
  ) => PermissionOutcome | Promise<PermissionOutcome>;
  readonly elicitation: (
    params: Params<"elicitation/create">,
  ) => ElicitationResult | Promise<ElicitationResult>;
  /** Answers that go before the usual ones; looked at when a request arrives. */
  readonly instead: Replies;
  readonly onRequest: (method: string) => void;
}

/** Makes the client's handlers. */
export function makeReplies(options: ReplyOptions): RequestHandlers<ClientMethods> {
  const { terminals, permission, elicitation } = options;
  const usual: Required<Replies> = {
    "session/request_permission": async (params) => ({ outcome: await permission(params) }),
    "elicitation/create": elicitation,
    "fs/read_text_file": readTextFile,
    "fs/write_text_file": async ({ path, content }) => {
      await writeFile(path, content);
      return {};
    },
    "terminal/create": (params, signal) =>
      terminals.createTerminal({ ...params, _meta: { ...params._meta } }, { signal }),
    "terminal/output": (params) => terminals.terminalOutput(params),
    "terminal/wait_for_exit": (params, signal) => terminals.waitForTerminalExit(params, { signal }),
    "terminal/kill": (params) => terminals.killTerminal(params),
    "terminal/release": (params) => terminals.releaseTerminal(params),
  };
  const handlers = Object.keys(usual).map((method) => [
    method,
    async (params: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> => {
      options.onRequest(method);
      const name = method as keyof Replies;
      const reply = (options.instead[name] ?? usual[name]) as (
        params: unknown,
        signal: AbortSignal,
      ) => unknown;
      try {
        return await reply(params, signal);
      } catch (error) {
        throw toRpcError(error);
      }
    },
  ]);
  return Object.fromEntries(handlers) as RequestHandlers<ClientMethods>;
}

async function readTextFile({
  path,
  line,
  limit,
}: Params<"fs/read_text_file">): Promise<{ content: string }> {
  const lines = (await readFile(path, "utf8")).split(/(?<=\n)/);
  const start = (line ?? 1) - 1;
  return { content: lines.slice(start, limit === undefined ? undefined : start + limit).join("") };
}

function toRpcError(error: unknown): Error {
  if (!(error instanceof Error)) return new RpcError(-32603, String(error));
  if (error instanceof RpcError) return error;
  if ("rpcCode" in error) return new RpcError(Number(error.rpcCode), error.message);
  if ("code" in error && error.code === "ENOENT") return new RpcError(-32002, "No such file");
  return new RpcError(-32603, error.message);
}
