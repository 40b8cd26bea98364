// Cost of reading the spool, and its correctness while files grow, turn over and go.
import { Buffer } from "node:buffer";
import { existsSync } from "node:fs";
import { appendFile, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TerminalSpool } from "@holdfast/core/ports";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openFileSpool, type FileSpoolOptions } from "./file-spool.ts";
import { encodeFrame } from "./frames.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const pieceBytes = 64 * kibibyte;

/** The output of every terminal here. */
const output = Buffer.from(
  Uint8Array.from({ length: 13 * mebibyte }, (_, offset) => (offset * 31 + (offset >> 8)) % 251),
);

/** Linux counts what a process reads and names what it has open. */
const canCount = existsSync("/proc/self/io");

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "holdfast-spool-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

function open(options: Partial<FileSpoolOptions> = {}): Promise<TerminalSpool> {
  return openFileSpool({ folder, burstBytes: 1e9, ...options });
}

function write(spool: TerminalSpool, terminal: string, from: number, to: number, chunkBytes: number): void {
  for (let offset = from; offset < to; offset += chunkBytes) {
    spool.append(terminal, offset, output.subarray(offset, Math.min(to, offset + chunkBytes)));
  }
}

/** Reads a terminal in pieces, expects every byte to be right, and gives the stretches that were kept. */
async function follow(spool: TerminalSpool, terminal: string, sizeBytes = pieceBytes): Promise<number[][]> {
  const stretches: number[][] = [];
  let from = 0;
  for (;;) {
    const slice = await spool.read(terminal, from, sizeBytes);
    if (slice === undefined) return stretches;
    const { startOffset, endOffset, bytes } = slice;
    expect(output.subarray(startOffset, endOffset).equals(bytes)).toBe(true);
    const last = stretches.at(-1);
    if (last?.[1] === startOffset) last[1] = endOffset;
    else stretches.push([startOffset, endOffset]);
    from = endOffset;
  }
}

async function countReadBytes(work: () => Promise<unknown>): Promise<number> {
  const count = async (): Promise<number> =>
    Number(/rchar: (\d+)/.exec(await readFile("/proc/self/io", "utf8"))?.[1]);
  const before = await count();
  await work();
  return (await count()) - before;
}

/** The least of three: the count is of the whole process, in which another test file may have left work. */
async function leastReadBytes(count: () => Promise<number>): Promise<number> {
  return Math.min(await count(), await count(), await count());
}

async function countOpenFiles(): Promise<number> {
  const handles = await readdir("/proc/self/fd");
  // A handle may be closed between the two looks; then it is not open.
  const targets = await Promise.all(handles.map((each) => readlink(`/proc/self/fd/${each}`).catch(() => "")));
  return targets.filter((target) => target.startsWith(folder)).length;
}

async function onlyFile(): Promise<string> {
  const [file = ""] = await readdir(folder);
  return path.join(folder, file);
}

describe("what a read costs", () => {
  it.runIf(canCount)("[D24] is about what it gives, while a terminal runs and to the next host", async () => {
    const running = await open();
    write(running, "t:/1", 0, output.length, 4000);
    await running.extent("t:/1");
    const whileRunning = await leastReadBytes(() => countReadBytes(() => follow(running, "t:/1")));
    await running.close();
    const firstExtent = await leastReadBytes(async () => {
      const next = await open();
      const count = await countReadBytes(() => next.extent("t:/1"));
      await next.close();
      return count;
    });
    const next = await open();
    await next.extent("t:/1");
    const whenEnded = await leastReadBytes(() => countReadBytes(() => follow(next, "t:/1")));
    const lastPiece = await leastReadBytes(() =>
      countReadBytes(() => next.read("t:/1", output.length - 100, pieceBytes)),
    );
    expect(Math.max(whileRunning, whenEnded)).toBeLessThan(1.1 * output.length);
    expect(firstExtent).toBeLessThan(0.1 * output.length);
    expect(lastPiece).toBeLessThan(16 * kibibyte);
    await next.close();
  });

  it("[D24] lets twenty follow at once, with few files open and none afterwards", async () => {
    const first = await open();
    write(first, "t:/1", 0, output.length, 4000);
    await first.close();
    const spool = await open();
    const watch = async (): Promise<number> => {
      if (!canCount) return 0;
      let mostOpen = 0;
      for (let look = 0; look < 30; look += 1) {
        mostOpen = Math.max(mostOpen, await countOpenFiles());
      }
      return mostOpen;
    };
    const following = Array.from({ length: 20 }, () => follow(spool, "t:/1"));
    const [mostOpen, ...found] = await Promise.all([watch(), ...following]);
    expect(found).toEqual(Array.from({ length: 20 }, () => [[0, output.length]]));
    expect(mostOpen).toBeLessThanOrEqual(8);
    await spool.close();
    expect(canCount ? await countOpenFiles() : 0).toBe(0);
  });

  it("[D24] stays small when every byte is a separate frame", async () => {
    const first = await open();
    first.append("t:/1", 0, output.subarray(0, 1));
    await first.close();
    const file = await onlyFile();
    const frames = Array.from({ length: 19_999 }, (_, index) =>
      encodeFrame({ offset: index + 1, bytes: output.subarray(index + 1, index + 2) }),
    );
    await appendFile(file, Buffer.concat(frames));
    const { size } = await stat(file);
    const spool = await open();
    const read = async (): Promise<void> => {
      expect(await follow(spool, "t:/1", 4000)).toEqual([[0, 20_000]]);
    };
    // Once for the heads, once for the bytes, and what is passed over to find each of the five pieces.
    if (canCount) expect(await countReadBytes(read)).toBeLessThan(3 * size);
    else await read();
    expect(await spool.extent("t:/1")).toMatchObject({ keptBytes: 20_000, skippedBytes: 0 });
    await spool.close();
  });

  it.runIf(canCount)(
    "[D24] remembers where things are for the terminals that were read last, and no more",
    async () => {
      const first = await open();
      const names = Array.from({ length: 40 }, (_, index) => `t:/${index}`);
      for (const name of names) write(first, name, 0, 20_000, 700);
      await first.close();
      const spool = await open();
      for (const name of names) expect(await follow(spool, name)).toEqual([[0, 20_000]]);
      const readExtents = (wanted: string[]) => Promise.all(wanted.map((name) => spool.extent(name)));
      expect(await countReadBytes(() => readExtents(names.slice(-32)))).toBeLessThan(kibibyte);
      expect(await countReadBytes(() => readExtents(names.slice(0, 8)))).toBeGreaterThan(8 * 512);
      expect((await readExtents(names)).map((extent) => extent?.keptBytes)).toEqual(names.map(() => 20_000));
      await spool.close();
    },
  );
});

describe("what a read gives", () => {
  it("[D20] stops at each gap and continues after it, in frames of all sizes", async () => {
    const spool = await open();
    const stretches = [
      [0, 3],
      [10, 500_000],
      [500_001, 500_002],
      [900_000, 2_000_000],
    ];
    for (const [from = 0, to = 0] of stretches) write(spool, "t:/1", from, to, 333_333);
    expect(await follow(spool, "t:/1")).toEqual(stretches);
    await spool.end("t:/1");
    expect(await follow(spool, "t:/1", 999_999)).toEqual(stretches);
    expect(await spool.read("t:/1", 5, 0)).toMatchObject({ startOffset: 10, endOffset: 10 });
    await spool.close();
    const next = await open();
    expect(await follow(next, "t:/1", 777)).toEqual(stretches);
    expect(await next.extent("t:/1")).toEqual({
      startOffset: 0,
      endOffset: 2_000_000,
      keptBytes: 1_599_994,
      skippedBytes: 400_006,
    });
    await next.close();
  });

  it("[D23] is every whole frame, wherever a killed host stopped, and more can follow", async () => {
    const first = await open();
    for (const [from = 0, to = 0] of [
      [0, 5],
      [5, 6],
      [6, 1000],
    ]) {
      write(first, "t:/1", from, to, 1000);
      await first.extent("t:/1");
    }
    await first.close();
    const file = await onlyFile();
    const whole = await readFile(file);
    // The heading is 8 bytes and a head 10: the frames end at 23, 34 and 1038.
    const keptIn = (sizeBytes: number): number =>
      sizeBytes < 23 ? 0 : sizeBytes < 34 ? 5 : sizeBytes < 1038 ? 6 : 1000;
    for (const sizeBytes of [0, 1, 8, 17, 18, 22, 23, 24, 32, 33, 34, 35, 43, 44, 45, 1037, 1038]) {
      const kept = keptIn(sizeBytes);
      await writeFile(file, whole.subarray(0, sizeBytes));
      const next = await open();
      expect(await follow(next, "t:/1")).toEqual(kept > 0 ? [[0, kept]] : []);
      write(next, "t:/1", 1000, 2000, 300);
      await next.close();
      const last = await open();
      const expected =
        kept === 1000
          ? [[0, 2000]]
          : [
              [0, kept],
              [1000, 2000],
            ];
      expect(await follow(last, "t:/1")).toEqual(kept > 0 ? expected : [[1000, 2000]]);
      await last.close();
    }
  });

  it("[D23] ends where a power cut left zeros", async () => {
    const first = await open();
    write(first, "t:/1", 0, 100, 100);
    await first.close();
    await appendFile(await onlyFile(), Buffer.alloc(5000));
    const spool = await open();
    expect(await spool.extent("t:/1")).toMatchObject({ endOffset: 100, keptBytes: 100 });
    write(spool, "t:/1", 100, 300, 100);
    expect(await follow(spool, "t:/1")).toEqual([[0, 300]]);
    await spool.close();
  });

  it("[D20][D21] is right while files turn over", async () => {
    const spool = await open({ terminalBytes: 64 * kibibyte });
    write(spool, "t:/1", 0, 50_000, 1000);
    await spool.extent("t:/1");
    const readAt = async (offset: number): Promise<void> => {
      const slice = await spool.read("t:/1", offset, 20_000);
      expect(slice?.startOffset).toBeGreaterThanOrEqual(offset);
      expect(
        output.subarray(slice?.startOffset, slice?.endOffset).equals(slice?.bytes ?? Buffer.alloc(0)),
      ).toBe(true);
      expect(slice?.bytes.length).toBeGreaterThan(0);
    };
    for (let offset = 50_000; offset < 2_000_000; offset += 7000) {
      const reads = [offset - 30_000, offset - 12_000, offset - 1000].map(readAt);
      write(spool, "t:/1", offset, offset + 7000, 3500);
      await Promise.all([...reads, readAt(offset)]);
    }
    await spool.close();
  });

  it("[D20] is right or nothing while a terminal is removed, and nothing afterwards", async () => {
    const spool = await open();
    for (const isRunning of [false, true]) {
      write(spool, "t:/1", 0, mebibyte, 10_000);
      if (!isRunning) await spool.end("t:/1");
      const reads = Array.from({ length: 30 }, (_, index) => spool.read("t:/1", index * 30_000, pieceBytes));
      const removed = spool.remove("t:/1");
      reads.push(spool.read("t:/1", 0, pieceBytes));
      for (const slice of await Promise.all(reads)) {
        if (slice) expect(output.subarray(slice.startOffset, slice.endOffset).equals(slice.bytes)).toBe(true);
      }
      await removed;
      expect([await spool.read("t:/1", 0, 1), await spool.extent("t:/1")]).toEqual([undefined, undefined]);
      expect(await readdir(folder)).toEqual([]);
    }
    await spool.close();
  });
});
