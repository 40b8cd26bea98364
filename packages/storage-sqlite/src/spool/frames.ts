// How output lies in a spool file: a heading, then frames, each with the offset of its bytes, so that gaps show.
import { Buffer } from "node:buffer";

/** Consecutive bytes of a terminal and where they begin. */
export interface Frame {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Begins every file; another format would begin otherwise. */
export const heading: Uint8Array = Buffer.from("HFSPOOL1");

const offsetBytes = 6;
const frameHeadBytes = offsetBytes + 4;

/** A frame as it is written. */
export function encodeFrame({ offset, bytes }: Frame): Buffer {
  const encoded = Buffer.allocUnsafe(frameHeadBytes + bytes.length);
  encoded.writeUIntBE(offset, 0, offsetBytes);
  encoded.writeUInt32BE(bytes.length, offsetBytes);
  encoded.set(bytes, frameHeadBytes);
  return encoded;
}

/** The frames of a file and where the last whole one ends: a host that was killed may have left half of one. */
export interface DecodedFile {
  readonly frames: readonly Frame[];
  readonly validBytes: number;
}

/** Reads a file; one that is none of ours has no frames. */
export function decodeFile(file: Buffer): DecodedFile {
  if (!file.subarray(0, heading.length).equals(heading)) return { frames: [], validBytes: 0 };
  const frames: Frame[] = [];
  let position = heading.length;
  while (position + frameHeadBytes <= file.length) {
    const offset = file.readUIntBE(position, offsetBytes);
    const start = position + frameHeadBytes;
    const end = start + file.readUInt32BE(position + offsetBytes);
    if (end > file.length) break;
    frames.push({ offset, bytes: file.subarray(start, end) });
    position = end;
  }
  return { frames, validBytes: position };
}
