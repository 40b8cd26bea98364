// JSON that is ready as bytes and goes out without being parsed or copied.

/**
 * A value given as its JSON text in UTF-8, accepted wherever a value is sent.
 * The chunks together are one JSON value; over NDJSON they must contain no newline byte (10), and they must not
 * change until they are written.
 */
export class RawJson {
  readonly chunks: readonly Uint8Array[];

  constructor(chunks: readonly Uint8Array[]) {
    this.chunks = chunks;
  }
}
