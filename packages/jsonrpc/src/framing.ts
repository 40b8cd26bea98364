// The seam between bytes and messages: what a framing must do for a connection.

/** What a reader finds in the incoming stream. */
export interface FrameListener {
  /** A whole message as bytes; true when it was taken as it is and need not be decoded. */
  taken?(bytes: Uint8Array, start: number, end: number): boolean;
  /** One whole message as text, with its size on the wire. */
  message(text: string, sizeBytes: number): void;
  /** Something that cannot be a message; `text` is how it starts. */
  noise(text: string): void;
  /** A message longer than the limit, which is not read; `head` is how it starts. */
  tooLong(head: string, limitBytes: number): void;
}

/** Takes the incoming stream piece by piece. */
export interface FrameReader {
  /** Takes what arrived; bytes are read during the call only, so their buffer may be used again afterwards. */
  push(chunk: string | Uint8Array): void;
  /** The stream ended: what is left without an end mark is a message too. */
  end(): void;
}

/** How messages are told apart on one kind of transport. */
export interface Framing {
  /** What follows each outgoing message. */
  readonly terminator: string;
  /** Whether text that is not JSON is answered (`-32700`) or taken for noise and skipped. */
  readonly unparsable: "answer" | "skip";
  reader(listener: FrameListener): FrameReader;
}
