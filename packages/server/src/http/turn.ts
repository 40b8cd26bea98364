// Operations on turns.
import { makeId, type TurnId } from "@holdfast/ahp";
import { success } from "@holdfast/protocol";
import type { FollowRequest, HostPort, TurnRequest } from "../host-port.ts";
import { EventPump, type PumpOptions } from "./event-pump.ts";
import { TurnEventSource } from "./event-source.ts";
import type { Handlers, RequestContext } from "./operation-routes.ts";
import { ReadSignal } from "./read-signal.ts";
import { SessionProjection } from "./session-projection.ts";
import { SharedChunks } from "./shared-chunks.ts";
import { TurnProjection } from "./turn-projection.ts";
import { TurnReader } from "./turn-reader.ts";

/** What streams of turns need from the server. */
interface StreamOptions extends PumpOptions {
  readonly host: HostPort;
  readonly chunks: SharedChunks;
}

type TurnOperation = "chat" | "streamChat" | "streamEvents" | "cancelTurn";

/** The handlers of what concerns turns. */
export function turnHandlers(host: HostPort, pumpOptions: PumpOptions): Pick<Handlers, TurnOperation> {
  const options: StreamOptions = { ...pumpOptions, host, chunks: new SharedChunks() };
  return {
    chat: async ({ params, body, headers }, { caller }) => {
      const request = { ...body, idempotencyKey: headers["idempotency-key"] };
      return success({ response: await host.chat(params.key, request, caller) });
    },
    streamChat: ({ params, body, headers }, context) => {
      const request = { ...body, idempotencyKey: headers["idempotency-key"] };
      return beginTurn(params.key, request, context, options);
    },
    streamEvents: ({ params, query, headers }, context) => {
      const request = { after: headers["last-event-id"] ?? query.after, turnId: query.turn };
      return followSession(params.key, request, context, options);
    },
    cancelTurn: async ({ params, body }, { caller }) => {
      await host.cancelTurn(params.key, body.reason, caller);
      return success({});
    },
  };
}

/** Begins a turn and streams it; what is refused is refused here, before the stream begins. */
function beginTurn(
  key: string,
  request: TurnRequest,
  { caller }: RequestContext,
  options: StreamOptions,
): EventPump {
  const signal = new ReadSignal();
  const turn = options.host.streamTurn(key, request, caller, signal.notify);
  const projection = new TurnProjection(turn.turnId);
  const source = new TurnEventSource({ reader: new TurnReader(turn), projection, chunks: options.chunks });
  return new EventPump({ source, signal, headers: headersOf(turn.turnId) }, options);
}

/** Streams what happened since a number and the turn that runs: of one turn, or of all. */
function followSession(
  key: string,
  request: FollowRequest,
  { caller }: RequestContext,
  options: StreamOptions,
): EventPump {
  const signal = new ReadSignal();
  const followed = options.host.followSession(key, request, caller, signal.notify);
  const turnId = request.turnId === undefined ? undefined : makeId("turn", request.turnId);
  const projection =
    turnId === undefined ? new SessionProjection(() => followed.isBusy()) : new TurnProjection(turnId);
  const { after } = followed;
  const reader = new TurnReader(followed);
  const source = new TurnEventSource({ reader, projection, chunks: options.chunks, after });
  const headers = turnId === undefined ? {} : headersOf(turnId);
  return new EventPump({ source, signal, headers }, options);
}

/** By its name a client takes its turn up again, also when the stream breaks before the first event (A45). */
function headersOf(turnId: TurnId): Record<string, string> {
  return { "x-holdfast-turn-id": turnId };
}
