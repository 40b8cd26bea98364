// Operations on turns.
import type { Log } from "@holdfast/core";
import { success, type ChatRequest } from "@holdfast/protocol";
import type { HostPort, StreamedTurn } from "../host-port.ts";
import { reportError } from "./error-response.ts";
import { TurnEventSource } from "./event-source.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Handlers, RequestContext } from "./operation-routes.ts";
import { ReadSignal } from "./read-signal.ts";
import { TurnProjection } from "./turn-projection.ts";
import { TurnReader } from "./turn-reader.ts";

/** What event streams need from the server. */
export interface StreamOptions {
  readonly log: Log;
  /** How long a stream may be silent before it gives a sign of life. */
  readonly heartbeatMs: number;
  readonly streams: OpenStreams;
}

type TurnOperation = "chat" | "streamChat" | "cancelTurn";

/** The handlers of what concerns turns. */
export function turnHandlers(host: HostPort, options: StreamOptions): Pick<Handlers, TurnOperation> {
  return {
    chat: async ({ params, body }, { caller }) =>
      success({ response: await host.chat(params.key, body, caller) }),
    // What is refused is refused here, before the stream begins.
    streamChat: ({ params, body }, context) => {
      const signal = new ReadSignal(options.heartbeatMs);
      const turn = beginTurn(host, params.key, body, context, signal);
      return openStream(host, turn, signal, context, options);
    },
    cancelTurn: async ({ params, body }, { caller }) => {
      await host.cancelTurn(params.key, body.reason, caller);
      return success({});
    },
  };
}

function beginTurn(
  host: HostPort,
  key: string,
  request: ChatRequest,
  { caller }: RequestContext,
  signal: ReadSignal,
): StreamedTurn {
  try {
    return host.streamTurn(key, request, caller, signal.notify);
  } catch (error) {
    signal.close();
    throw error;
  }
}

function openStream(
  host: HostPort,
  turn: StreamedTurn,
  signal: ReadSignal,
  { signal: gone }: RequestContext,
  { log, streams }: StreamOptions,
): ReadableStream<Uint8Array> {
  const source = new TurnEventSource({
    reader: new TurnReader(turn),
    projection: new TurnProjection({
      turnId: turn.turnId,
      isApprovalOpen: (id) => host.isApprovalOpen(id),
    }),
    signal,
    report: (error) => reportError(error, log),
    onClosed: () => streams.delete(source),
  });
  streams.add(source);
  // A reader may go before the first byte, when nobody has begun to pull and so nobody will cancel.
  if (gone.aborted) source.close();
  else gone.addEventListener("abort", () => source.close(), { once: true });
  return source.toStream();
}
