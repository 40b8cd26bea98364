// Joins a connection to a pair of Node streams, known here only by their shape.
import type { Connection } from "./connection.ts";
import type { Methods } from "./methods.ts";
import type { MessageSink } from "./outbox.ts";

/** The part of a Node writable stream that is used, such as a child's stdin. */
export interface WritableLike {
  write(chunk: string | Uint8Array): boolean;
  cork(): void;
  uncork(): void;
  end(): unknown;
  on(event: "drain", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** The part of a Node readable stream that is used, such as a child's stdout. */
export interface ReadableLike {
  on(event: "data", listener: (chunk: string | Uint8Array) => void): unknown;
  on(event: "end" | "close", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * Writes messages to a stream; its end is the sink's close.
 * A stream that fails is reported and not taken for the end: a child that died may have left output to be read.
 */
export function streamSink(stream: WritableLike, onError: (error: Error) => void): MessageSink {
  stream.on("error", onError);
  return {
    write(chunks) {
      const [only] = chunks;
      if (chunks.length === 1 && only !== undefined) return stream.write(only);
      let isReady = true;
      stream.cork();
      for (const chunk of chunks) isReady = stream.write(chunk);
      stream.uncork();
      return isReady;
    },
    onDrain(listener) {
      stream.on("drain", listener);
    },
    close() {
      stream.end();
    },
  };
}

/** Feeds a connection from a stream until it ends; give the stream to the connection as its `source` as well. */
export function receiveFrom<Local extends Methods, Remote extends Methods>(
  stream: ReadableLike,
  connection: Connection<Local, Remote>,
): void {
  stream.on("data", (chunk) => {
    connection.push(chunk);
  });
  stream.on("end", () => {
    connection.end();
  });
  stream.on("error", (error) => {
    connection.end(error);
  });
  // A stream that is destroyed closes without an end.
  stream.on("close", () => {
    connection.end();
  });
}
