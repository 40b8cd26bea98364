// The grammar of an event stream as the clients' parsers demand it: text in, text out, no transport.

/** An event of any stream. */
interface StreamEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The content type of an event stream. */
export const EVENT_STREAM_TYPE = "text/event-stream";

/** A comment that keeps a silent stream open; every client skips it. */
export const HEARTBEAT = ": heartbeat\n\n";

// JSON leaves these bare, and line readers such as Python's splitlines end a line at them.
const bareLineEnd = /[\u0085\u2028\u2029]/;
const bareLineEnds = new RegExp(bareLineEnd, "g");
const lineEnd = /[\n\r\0]/;

/**
 * Writes one event as a frame: `id:` first, then `event:` directly before its one `data:` line, then a blank line.
 * The id is what a client sends back as `Last-Event-ID`; it must be one line.
 */
export function formatEvent(event: StreamEvent, id?: string): string {
  const frame = `event: ${event.type}\ndata: ${formatData(event.data)}\n\n`;
  if (id === undefined) return frame;
  if (lineEnd.test(id)) throw new TypeError(`An event's id must be one line, not ${JSON.stringify(id)}`);
  return `id: ${id}\n${frame}`;
}

function formatData(data: unknown): string {
  const json = JSON.stringify(data);
  // Nearly every event has none, and asking is cheaper than replacing nothing.
  if (!bareLineEnd.test(json)) return json;
  return json.replaceAll(bareLineEnds, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
