// What clients can ask for: one handler for each request.
import { pathToFileURL } from "node:url";
import type { AhpRequests, RequestMethod } from "@holdfast/ahp/dialects";
import type { Conversation } from "./conversation.ts";
import type { Channels } from "./channels.ts";
import type { AhpPort } from "../host-port.ts";
import { invalidParams } from "./rpc-error.ts";
import { resourceHandlers } from "./resource-handlers.ts";
import { sessionHandlers } from "./session-handlers.ts";
import { subscribe } from "./subscribe.ts";
import { terminalHandlers } from "./terminal-handlers.ts";

/** The requests of a client that has introduced itself; `unsubscribe` is a notification. */
export type HandledMethod = Exclude<RequestMethod, "reconnect" | "unsubscribe">;

/** What handlers work with. */
export interface HandlerTools {
  readonly port: AhpPort;
  readonly channels: Channels;
}

/** Answers a request, or throws a `HostError` or an `RpcError`. */
export type RequestHandler<Method extends HandledMethod> = (
  conversation: Conversation,
  params: AhpRequests[Method],
) => unknown;

/** A handler for every request. */
export type RequestHandlers = { readonly [Method in HandledMethod]: RequestHandler<Method> };

/** The handlers of a host. */
export function requestHandlers(tools: HandlerTools): RequestHandlers {
  return {
    subscribe: (conversation, params) => subscribe(tools.channels, conversation, params),
    ...sessionHandlers(tools),
    ...terminalHandlers(tools),
    ...resourceHandlers(tools),
  };
}

/** Reads a request in the client's dialect and has it answered. */
export async function handleRequest<Method extends HandledMethod>(
  handlers: Pick<RequestHandlers, Method>,
  conversation: Conversation,
  method: Method,
  params: unknown,
): Promise<unknown> {
  const read = conversation.dialect.readRequest<Method>(method, params);
  if (!read.ok) throw invalidParams(read.problem);
  const handler: RequestHandler<Method> = handlers[method];
  return handler(conversation, read.value);
}

/** A folder as AHP writes it. */
export function folderUri(folder: string): string {
  return pathToFileURL(folder).href;
}
