// How output lies in a spool file: a heading, then frames, each with the offset of its bytes, so that gaps show.
import { Buffer } from "node:buffer";

/** Consecutive bytes of a terminal and where they begin. */
export interface Frame {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** What stands before the bytes of a frame. */
export interface FrameHead {
  readonly offset: number;
  readonly length: number;
}

/** Begins every file; another format would begin otherwise. */
export const heading: Uint8Array = Buffer.from("HFSPOOL1");

const offsetBytes = 6;

/** The size of a frame's head. */
export const frameHeadBytes = offsetBytes + 4;

/** A frame as it is written. */
export function encodeFrame({ offset, bytes }: Frame): Buffer {
  const encoded = Buffer.allocUnsafe(frameHeadBytes + bytes.length);
  encoded.writeUIntBE(offset, 0, offsetBytes);
  encoded.writeUInt32BE(bytes.length, offsetBytes);
  encoded.set(bytes, frameHeadBytes);
  return encoded;
}

/** The head that stands at `start` of a memory. */
export function decodeHead(memory: Buffer, start: number): FrameHead {
  return { offset: memory.readUIntBE(start, offsetBytes), length: memory.readUInt32BE(start + offsetBytes) };
}
