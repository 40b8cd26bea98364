// A host's streams as a test makes them: frames under ids, sent from any place, and connections that break.
import type { ServerResponse } from "node:http";
import {
  answerJson,
  beginEvents,
  startTestServer,
  write,
  type SeenRequest,
  type TestServer,
} from "./test-server.ts";

/** One event on the wire; several may come of one entry of the log, and the last of them carries its id. */
export interface WireEvent {
  readonly type: string;
  readonly data: unknown;
  readonly id?: string;
}

/** Cuts the answer after so many bytes; undefined lets it come to its end. */
export type ChooseCut = (totalBytes: number) => number | undefined;

/** Writes an event as the host does. */
function formatFrame({ type, data, id }: WireEvent): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Serves one turn: `POST …/chat/stream` from its beginning, `GET …/events?after=` from an event on. */
export function startTurnServer(
  events: readonly WireEvent[],
  chooseCut: ChooseCut,
  headers: Record<string, string> = {},
): Promise<TestServer> {
  return startTestServer(async (request, response) => {
    if (request.path.endsWith("/chat/stream")) return sendCut(response, events, chooseCut, headers);
    if (request.path.endsWith("/events")) return sendCut(response, after(events, request), chooseCut);
    answerJson(response, { success: false, error: "No", code: "NOT_FOUND" }, 404);
  });
}

function after(events: readonly WireEvent[], { query }: SeenRequest): readonly WireEvent[] {
  const id = query.get("after");
  return events.slice(id === null ? 0 : events.findIndex((event) => event.id === id) + 1);
}

async function sendCut(
  response: ServerResponse,
  events: readonly WireEvent[],
  chooseCut: ChooseCut,
  headers: Record<string, string> = {},
): Promise<void> {
  const bytes = Buffer.from(`: heartbeat\n\n${events.map(formatFrame).join(": heartbeat\n\n")}`);
  const cut = chooseCut(bytes.length);
  beginEvents(response, headers);
  await write(response, bytes.subarray(0, cut));
  if (cut === undefined) response.end();
  else response.destroy();
}
