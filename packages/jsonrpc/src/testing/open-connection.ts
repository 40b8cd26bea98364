// One NDJSON connection for tests, with what it wrote, what it warned of and how its source was paused.
import { Connection } from "../connection.ts";
import { ndjsonFraming } from "../ndjson.ts";
import { RecordingSink } from "./recording-sink.ts";
import type { ConnectionOptions } from "../connection.ts";
import type { Warning } from "../warning.ts";

/** A source that only remembers whether it is paused. */
export class RecordingSource {
  readonly calls: ("pause" | "resume")[] = [];

  pause(): void {
    this.calls.push("pause");
  }

  resume(): void {
    this.calls.push("resume");
  }
}

/** A connection whose two ends are in the test's hands. */
export interface OpenedConnection {
  connection: Connection;
  sink: RecordingSink;
  source: RecordingSource;
  warnings: Warning[];
  /** Lets messages arrive, all in one chunk. */
  receive(...messages: unknown[]): void;
}

/** Opens a connection over NDJSON with `$/cancel_request`, unless the options say otherwise. */
export function openConnection(options: Partial<ConnectionOptions> = {}): OpenedConnection {
  const sink = new RecordingSink();
  const source = new RecordingSource();
  const warnings: Warning[] = [];
  const connection = new Connection({
    framing: ndjsonFraming(),
    sink,
    source,
    cancelMethod: "$/cancel_request",
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  return {
    connection,
    sink,
    source,
    warnings,
    receive(...messages) {
      connection.push(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
    },
  };
}

/** A request of the peer. */
export function request(id: unknown, method: string, params?: unknown): object {
  return { jsonrpc: "2.0", id, method, params };
}

/** A notification of the peer. */
export function notification(method: string, params?: unknown): object {
  return { jsonrpc: "2.0", method, params };
}

/** An answer of the peer. */
export function result(id: unknown, value: unknown): object {
  return { jsonrpc: "2.0", id, result: value };
}

/** An error answer, as a connection writes it. */
export function failure(id: unknown, code: number, message: unknown, data?: unknown): object {
  const error = data === undefined ? { code, message } : { code, message, data };
  return { jsonrpc: "2.0", id, error };
}
