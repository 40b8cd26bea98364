// Sends an event stream as the answer to a request, straight to its socket: between the two, every layer costs.
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { EVENT_STREAM_TYPE } from "@holdfast/protocol";
import type { Context } from "hono";
import type { EventPump } from "./event-pump.ts";
import type { ServerEnv } from "./operation-routes.ts";

const streamHeaders = {
  "content-type": `${EVENT_STREAM_TYPE}; charset=utf-8`,
  // Proxies must neither keep, change nor gather what is meant to arrive at once.
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Begins the answer; what is given back tells the app that the headers are on their way. */
export function answerWithEvents(pump: EventPump, { env: { outgoing } }: Context<ServerEnv>): Response {
  if (outgoing === undefined) {
    pump.close();
    throw new TypeError("A stream of events needs the socket that it was asked for on");
  }
  // One who has gone meanwhile has no socket to send headers to.
  if (!outgoing.destroyed) {
    outgoing.writeHead(200, { ...streamHeaders, ...pump.headers });
    outgoing.flushHeaders();
  }
  pump.writeTo(outgoing);
  return RESPONSE_ALREADY_SENT;
}
