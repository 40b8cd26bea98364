// Reads of one terminal's files beside the changes that take a file away.
import { Buffer } from "node:buffer";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ReadPlaces, Segments } from "./segments.ts";

const frameBytes = 700;
const output = Buffer.from(Uint8Array.from({ length: 500 * frameBytes }, (_, offset) => (offset * 31) % 251));

let places: ReadPlaces;
let segments: Segments;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "holdfast-segments-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  places = new ReadPlaces();
  // Each file holds one frame, so every frame but the first turns the files over.
  segments = new Segments(path.join(folder, "one"), 1000, places);
  onTestFinished(() => segments.close());
});

function append(number: number): Promise<void> {
  const offset = number * frameBytes;
  return segments.append({ offset, bytes: output.subarray(offset, offset + frameBytes) });
}

/** Keeps every place until the function it gives is called. */
function takeAllPlaces(): () => void {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  for (let count = 0; count < 8; count += 1) void places.use(() => released);
  return release;
}

/** Asks the disk so often that a change which does not wait would be done. */
async function giveTime(): Promise<void> {
  for (let count = 0; count < 50; count += 1) await stat(tmpdir());
}

describe("the files of a terminal", () => {
  it("[D20][D21] do not turn over under a read that was begun", async () => {
    await Promise.all([append(0), append(1)]);
    const release = takeAllPlaces();
    const read = segments.read(0, 1e6);
    await nextTurn();
    const appended = Promise.all([append(2), append(3)]);
    await giveTime();
    release();
    expect(await read).toEqual({ startOffset: 0, endOffset: 1400, bytes: output.subarray(0, 1400) });
    await appended;
    expect(await segments.extent()).toMatchObject({ startOffset: 1400, endOffset: 2800 });
  });

  it("[D20] are not removed under a read that was begun", async () => {
    await append(0);
    const release = takeAllPlaces();
    const read = segments.read(0, 1e6);
    await nextTurn();
    const removed = segments.remove();
    const late = segments.read(0, 1e6);
    await giveTime();
    release();
    expect(await read).toMatchObject({ startOffset: 0, endOffset: 700 });
    expect(await late).toBeUndefined();
    await removed;
  });

  it("[D20] let frames be added beside a read", async () => {
    await append(0);
    const release = takeAllPlaces();
    const read = segments.read(0, 100);
    await nextTurn();
    await segments.append({ offset: frameBytes, bytes: output.subarray(frameBytes, frameBytes + 50) });
    expect(await segments.extent()).toMatchObject({ endOffset: 750 });
    release();
    expect(await read).toMatchObject({ startOffset: 0, endOffset: 100 });
  });

  it("[D20][D21] give the right bytes to a read between two changes", async () => {
    await Promise.all([append(0), append(1)]);
    for (let number = 2; number < 498; number += 2) {
      const fromOffset = (number - 1) * frameBytes;
      const [slice] = await Promise.all([
        append(number).then(() => segments.read(fromOffset, 1e6)),
        segments.read(fromOffset, 1e6).then((early) => {
          expect(early?.endOffset).toBeGreaterThanOrEqual(fromOffset + 2 * frameBytes);
          expect(
            output.subarray(early?.startOffset, early?.endOffset).equals(early?.bytes ?? Buffer.alloc(0)),
          ).toBe(true);
        }),
        append(number + 1),
      ]);
      expect(
        output.subarray(slice?.startOffset, slice?.endOffset).equals(slice?.bytes ?? Buffer.alloc(0)),
      ).toBe(true);
    }
  });
});

describe("the places of reads", () => {
  it("[D24] are eight for all readers, and a failed read gives its place back", async () => {
    let atWork = 0;
    let mostAtWork = 0;
    const work = async (): Promise<void> => {
      atWork += 1;
      mostAtWork = Math.max(mostAtWork, atWork);
      await nextTurn();
      atWork -= 1;
      throw new Error("The disk is gone.");
    };
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => places.use(work)));
    expect(results.map(({ status }) => status)).toEqual(results.map(() => "rejected"));
    expect([mostAtWork, atWork]).toEqual([8, 0]);
  });
});
