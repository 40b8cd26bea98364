// The port to what terminals have written: their bytes, kept in bounds, found again by absolute offset.

/** Consecutive bytes of a terminal. */
export interface SpoolSlice {
  /** Where the bytes begin; beyond what was asked for when that is not kept. */
  readonly startOffset: number;
  readonly endOffset: number;
  readonly bytes: Uint8Array;
}

/** Persistent output of terminals. */
export interface SpoolExtent {
  /** The first byte that is kept. */
  readonly startOffset: number;
  /** The offset after the last byte that is kept. */
  readonly endOffset: number;
  readonly keptBytes: number;
  /** Bytes between the first and the last that are not kept, because they came too fast. */
  readonly skippedBytes: number;
}

/** Keeps the output of terminals beyond the life of the host. Terminals are known by their URIs. */
export interface TerminalSpool {
  /**
   * Adds output; `offset` is that of the first byte. The bytes are copied before it returns, and it never throws.
   * Output that begins at 0 begins a new terminal; bytes that are kept already are passed over.
   */
  append(terminal: string, offset: number, bytes: Uint8Array): void;
  /** The terminal will write no more: whatever still waits is written, its last bytes above all. */
  end(terminal: string): Promise<void>;
  /** The bytes from an offset on, up to the next gap or `maxBytes`; undefined when none are kept there or after. */
  read(terminal: string, fromOffset: number, maxBytes: number): Promise<SpoolSlice | undefined>;
  /** Undefined when nothing is kept. */
  extent(terminal: string): Promise<SpoolExtent | undefined>;
  remove(terminal: string): Promise<void>;
  /** Writes what waits and closes all files. */
  close(): Promise<void>;
}
