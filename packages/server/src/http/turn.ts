// Operations on turns.
import { makeId, type TurnId } from "@holdfast/ahp";
import { type EventPlace, success } from "@holdfast/protocol";
import type { HostPort, TurnRequest } from "../host-port.ts";
import { EventStream, ReadSignal, type StreamOptions, type StreamParts } from "./event-stream.ts";
import type { Handlers, RequestContext } from "./operation-routes.ts";
import { SessionProjection, TurnProjection } from "./turn-projection.ts";
import { SharedChunks, TurnEventSource } from "./turn-source.ts";

interface TurnStreamOptions extends StreamOptions {
  readonly host: HostPort;
  readonly chunks: SharedChunks;
}

type TurnOperation = "chat" | "streamChat" | "streamEvents" | "cancelTurn";

export function turnHandlers(host: HostPort, streamOptions: StreamOptions): Pick<Handlers, TurnOperation> {
  const options: TurnStreamOptions = { ...streamOptions, host, chunks: new SharedChunks() };
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
      const after = headers["last-event-id"] ?? query.after;
      return followSession(params.key, { after, turnId: query.turn }, context, options);
    },
    cancelTurn: async ({ params, body }, { caller }) => {
      await host.cancelTurn(params.key, body, caller);
      return success({});
    },
  };
}

/** Begins a turn and streams it; rejections are thrown here, before the stream begins. */
function beginTurn(
  key: string,
  request: TurnRequest,
  { caller }: RequestContext,
  options: TurnStreamOptions,
): EventStream {
  const { host, chunks } = options;
  const signal = new ReadSignal();
  const turn = host.streamTurn(key, request, caller, signal.notify);
  const projection = new TurnProjection(turn.turnId);
  const source = new TurnEventSource({ logs: turn, projection, chunks });
  return new EventStream(
    { source, signal, headers: headersOf(turn.turnId), onOutage: onOutageOf(host) },
    options,
  );
}

/** Streams the events after a place and the turn that runs: of one turn, or of all. */
function followSession(
  key: string,
  { after: place, turnId: wanted }: { after: EventPlace | undefined; turnId: string | undefined },
  { caller }: RequestContext,
  options: TurnStreamOptions,
): EventStream {
  const { host, chunks } = options;
  const signal = new ReadSignal();
  // An entry that is known in part is read again, and only its known events are left out.
  const known = place?.events === undefined ? place?.seq : place.seq - 1;
  const followed = host.followSession(key, { after: known, turnId: wanted }, caller, signal.notify);
  const turnId = wanted === undefined ? undefined : makeId("turn", wanted);
  const projection =
    turnId === undefined ? new SessionProjection(() => followed.isBusy()) : new TurnProjection(turnId);
  const { after } = followed;
  const source = new TurnEventSource({ logs: followed, projection, chunks, after, within: place });
  const headers = turnId === undefined ? {} : headersOf(turnId);
  return new EventStream({ source, signal, headers, onOutage: onOutageOf(host) }, options);
}

/** Changes that are not recorded are not published, so a stream would fall silent: it ends with the reason instead (D261). */
function onOutageOf({ recording }: HostPort): StreamParts["onOutage"] {
  return recording && ((listener) => recording.onOutage(listener));
}

/** A client resumes its turn by this id, also when the stream breaks before the first event (A45). */
function headersOf(turnId: TurnId): Record<string, string> {
  return { "x-holdfast-turn-id": turnId };
}
