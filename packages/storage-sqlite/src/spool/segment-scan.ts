// Finds out what a spool file holds that an earlier host has written, from the heads of its frames alone.
import type { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { FileWindow } from "./file-window.ts";
import { frameHeadBytes, heading } from "./frames.ts";
import { SegmentIndex } from "./segment-index.ts";

/** What a file was found to hold. */
export interface ScannedSegment {
  readonly index: SegmentIndex;
  /** Whether something follows the last whole frame: a host that was killed may have left half of one. */
  readonly isTorn: boolean;
}

/** Goes from head to head up to where the frames are no longer whole; a file that is none of ours has none. */
export async function scanSegment(handle: FileHandle, memory: Buffer): Promise<ScannedSegment> {
  const index = new SegmentIndex();
  const { size } = await handle.stat();
  const window = new FileWindow(handle, memory, size);
  await window.moveToHead(0);
  if (!window.view(0, heading.length).equals(heading)) return { index, isTorn: size > 0 };
  let position = heading.length;
  while (position + frameHeadBytes <= size) {
    if (window.head(position) === undefined) await window.moveToHead(position);
    const head = window.head(position);
    // Neither an empty frame nor one that goes back is ever written: a file system may leave zeros after a power cut.
    if (head === undefined || head.length === 0 || head.offset < index.endOffset) break;
    const endPosition = position + frameHeadBytes + head.length;
    if (endPosition > size) break;
    index.add(head);
    position = endPosition;
  }
  return { index, isTorn: size > index.sizeBytes };
}
