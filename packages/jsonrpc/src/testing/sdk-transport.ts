// Joins a connection of ours to the official ACP SDK over a pair of web streams of bytes.
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { Connection } from "../connection.ts";
import { ndjsonFraming } from "../ndjson.ts";
import type { Stream } from "@agentclientprotocol/sdk";
import type { ConnectionOptions } from "../connection.ts";
import type { MessageSink } from "../outbox.ts";
import type { Warning } from "../warning.ts";

function sinkTo(stream: WritableStream<Uint8Array>): MessageSink {
  const writer = stream.getWriter();
  const encoder = new TextEncoder();
  let onDrain: () => void = () => undefined;
  return {
    write(chunks) {
      for (const chunk of chunks) {
        const written = writer.write(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        // The SDK's side may be closed already; then there is nobody to write to.
        written.catch(() => undefined);
      }
      if ((writer.desiredSize ?? 1) > 0) return true;
      void writer.ready.then(onDrain, onDrain);
      return false;
    },
    onDrain(listener) {
      onDrain = listener;
    },
    close() {
      writer.close().catch(() => undefined);
    },
  };
}

/** A connection of ours and, at the other end, a stream for the SDK. */
export interface SdkTransport {
  connection: Connection;
  sdkStream: Stream;
  warnings: Warning[];
}

/** Opens both ends of an in-process transport. */
export function openSdkTransport(options: Partial<ConnectionOptions>): SdkTransport {
  const toSdk = new TransformStream<Uint8Array, Uint8Array>();
  const fromSdk = new TransformStream<Uint8Array, Uint8Array>();
  const warnings: Warning[] = [];
  const connection = new Connection({
    framing: ndjsonFraming(),
    sink: sinkTo(toSdk.writable),
    cancelMethod: "$/cancel_request",
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  void pump(fromSdk.readable, connection);
  return { connection, sdkStream: ndJsonStream(fromSdk.writable, toSdk.readable), warnings };
}

async function pump(stream: ReadableStream<Uint8Array>, connection: Connection): Promise<void> {
  for await (const chunk of stream) connection.push(chunk);
  connection.end();
}
