// The spool of terminals' output: offsets, gaps, bounds, and what a new host finds.
import { Buffer } from "node:buffer";
import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TerminalSpool } from "@holdfast/core/ports";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openFileSpool, type FileSpoolOptions } from "./file-spool.ts";

const kibibyte = 1024;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "holdfast-spool-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

function open(options: Partial<FileSpoolOptions> = {}): Promise<TerminalSpool> {
  return openFileSpool({ folder, ...options });
}

/** The byte at an offset of every test's output. */
function byteAt(offset: number): number {
  return (offset * 31 + (offset >> 8)) % 251;
}

function output(offset: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => byteAt(offset + index));
}

async function readText(spool: TerminalSpool, terminal: string, from = 0): Promise<string | undefined> {
  const slice = await spool.read(terminal, from, 1e9);
  return slice && Buffer.from(slice.bytes).toString();
}

async function sizeOnDisk(): Promise<number> {
  const files = await readdir(folder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe("the spool", () => {
  it("[D20] gives output back by offset, while a terminal runs, after it, and to the next host", async () => {
    const spool = await open();
    const hello = Buffer.from("hello ");
    spool.append("t:/1", 0, hello);
    hello.fill(0);
    spool.append("t:/1", 6, Buffer.from("world"));
    spool.append("t:/2", 0, Buffer.from("other"));
    expect(await readText(spool, "t:/1")).toBe("hello world");
    await spool.end("t:/1");
    expect(await spool.read("t:/1", 4, 4)).toEqual({
      startOffset: 4,
      endOffset: 8,
      bytes: Buffer.from("o wo"),
    });
    expect(await spool.read("t:/1", 11, 4)).toBeUndefined();
    expect(await spool.read("t:/unknown", 0, 4)).toBeUndefined();
    await spool.close();

    const next = await open();
    expect(await readText(next, "t:/2")).toBe("other");
    expect(await next.extent("t:/1")).toEqual({
      startOffset: 0,
      endOffset: 11,
      keptBytes: 11,
      skippedBytes: 0,
    });
    await next.remove("t:/1");
    expect([await next.extent("t:/1"), await next.extent("t:/2")]).toMatchObject([
      undefined,
      { keptBytes: 5 },
    ]);
    await next.close();
  });

  it("[D20] continues after a restart, skips what it has, and shows what it never got", async () => {
    const first = await open();
    first.append("t:/1", 0, Buffer.from("0123456789"));
    await first.close();
    const second = await open();
    second.append("t:/1", 5, Buffer.from("56789abc"));
    second.append("t:/1", 20, Buffer.from("later"));
    await second.end("t:/1");
    expect(await readText(second, "t:/1")).toBe("0123456789abc");
    expect(await second.read("t:/1", 13, 100)).toMatchObject({ startOffset: 20, endOffset: 25 });
    expect(await second.extent("t:/1")).toEqual({
      startOffset: 0,
      endOffset: 25,
      keptBytes: 18,
      skippedBytes: 7,
    });
    await second.close();
  });

  it("[D20] starts over when output begins at 0 again, and takes what comes after the end", async () => {
    const spool = await open();
    spool.append("t:/1", 0, Buffer.from("the first life"));
    spool.append("t:/1", 0, Buffer.from("second"));
    const ended = spool.end("t:/1");
    spool.append("t:/1", 6, Buffer.from(" and after"));
    await ended;
    await spool.end("t:/1");
    expect(await readText(spool, "t:/1")).toBe("second and after");
    await spool.close();
  });

  it("[D20] lets nobody else read it", async () => {
    const spool = await openFileSpool({ folder: path.join(folder, "spool") });
    spool.append("../../outside", 0, Buffer.from("x"));
    await spool.close();
    const [file = ""] = await readdir(path.join(folder, "spool"));
    const modes = [await stat(path.join(folder, "spool")), await stat(path.join(folder, "spool", file))];
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it("[D21] keeps the newest bytes of a terminal, at least half of its bound", async () => {
    const spool = await open({ terminalBytes: 64 * kibibyte, burstBytes: 1e9 });
    for (let offset = 0; offset < 1024 * kibibyte; offset += 1000) {
      spool.append("t:/1", offset, output(offset, 1000));
      if (offset % 20_000 === 0) await spool.extent("t:/1");
    }
    await spool.end("t:/1");
    const extent = await spool.extent("t:/1");
    expect(extent?.endOffset).toBe(1_049_000);
    expect(extent?.keptBytes).toBeGreaterThan(24 * kibibyte);
    expect(await sizeOnDisk()).toBeLessThanOrEqual(64 * kibibyte);
    const slice = await spool.read("t:/1", 0, 1e9);
    expect(
      Buffer.from(slice?.bytes ?? []).equals(output(slice?.startOffset ?? 0, extent?.keptBytes ?? 0)),
    ).toBe(true);
    await spool.close();
  });

  it("[D21] keeps the total: the terminals that ended first go, those that run lose their older half", async () => {
    let nowMs = 0;
    const options = { totalBytes: 100_000, terminalBytes: 80_000, nowMs: () => (nowMs += 1) };
    const spool = await open(options);
    for (const name of ["t:/1", "t:/2", "t:/3", "t:/4"]) {
      spool.append(name, 0, output(0, 30_000));
      await spool.end(name);
    }
    const isKept = async (name: string): Promise<boolean> => (await spool.extent(name)) !== undefined;
    expect(await Promise.all(["t:/1", "t:/2", "t:/3", "t:/4"].map(isKept))).toEqual([
      false,
      true,
      true,
      true,
    ]);
    for (let offset = 0; offset < 75_000; offset += 5000) {
      spool.append("t:/5", offset, output(offset, 5000));
      await spool.extent("t:/5");
    }
    await spool.close();
    expect(await sizeOnDisk()).toBeLessThanOrEqual(100_000);
    const next = await open({ ...options, totalBytes: 45_000 });
    next.append("t:/6", 0, output(0, 10));
    await next.close();
    expect(await sizeOnDisk()).toBeLessThanOrEqual(45_000);
  });

  it("[D22] writes no faster than its rate, counts what it skips, and always has the end", async () => {
    let elapsedMs = 0;
    const rules = {
      bytesPerSecond: 1000,
      burstBytes: 20_000,
      pendingBytes: 5000,
      elapsedMs: () => elapsedMs,
    };
    const spool = await open(rules);
    const chunkBytes = 500;
    const total = 1_000_000;
    for (let offset = 0; offset < total; offset += chunkBytes) {
      spool.append("t:/1", offset, output(offset, chunkBytes));
      if (offset % 10_000 === 0) await spool.extent("t:/1");
      // Ten seconds in all.
      elapsedMs += (10_000 * chunkBytes) / total;
    }
    await spool.end("t:/1");
    const extent = await spool.extent("t:/1");
    expect(extent).toMatchObject({ startOffset: 0, endOffset: total });
    expect(extent?.keptBytes).toBeLessThanOrEqual(20_000 + 10_000 + 2 * 5000);
    expect(extent?.skippedBytes).toBe(total - (extent?.keptBytes ?? 0));
    const end = await spool.read("t:/1", total - 5000, 1e9);
    expect(Buffer.from(end?.bytes ?? []).equals(output(total - 5000, 5000))).toBe(true);
    await spool.close();
  });

  it("[D22] writes at its rate whatever the clock of the machine is set to", async () => {
    const startMs = Date.now();
    let nowMs = startMs;
    const spool = await open({ bytesPerSecond: 1e6, burstBytes: 10_000, nowMs: () => nowMs });
    const write = async (offset: number): Promise<void> => {
      spool.append("t:/1", offset, output(offset, 10_000));
      await vi.waitFor(async () => {
        expect(await spool.extent("t:/1")).toMatchObject({ keptBytes: offset + 10_000 });
      });
    };
    await write(0);
    nowMs = startMs - 60 * 60 * 1000;
    await write(10_000);
    nowMs = startMs + 60 * 60 * 1000;
    await write(20_000);
    await spool.close();
  });

  it("[D22] keeps a burst whole, however fast it comes", async () => {
    const spool = await open({ pendingBytes: 1000, burstBytes: 200_000 });
    for (let offset = 0; offset < 200_000; offset += 1000) spool.append("t:/1", offset, output(offset, 1000));
    await spool.end("t:/1");
    expect(await spool.extent("t:/1")).toMatchObject({ keptBytes: 200_000, skippedBytes: 0 });
    await spool.close();
  });

  it("[D23] cuts off what a killed host left half written, and takes a foreign file as empty", async () => {
    const spool = await open();
    spool.append("t:/1", 0, Buffer.from("whole"));
    await spool.close();
    const [file = ""] = await readdir(folder);
    await appendFile(path.join(folder, file), Buffer.from([0, 0, 0, 0, 0, 5, 0, 0, 0, 99, 1, 2, 3]));
    const next = await open();
    expect(await readText(next, "t:/1")).toBe("whole");
    next.append("t:/1", 5, Buffer.from(" again"));
    await next.end("t:/1");
    expect(await readText(next, "t:/1")).toBe("whole again");
    await next.close();
    await writeFile(path.join(folder, file), "something else");
    const last = await open();
    expect([await last.extent("t:/1"), await last.read("t:/1", 0, 100)]).toEqual([undefined, undefined]);
    last.append("t:/1", 11, Buffer.from("ours"));
    await last.end("t:/1");
    expect(await readText(last, "t:/1")).toBe("ours");
    await last.close();
  });

  it("[D23] does not throw when nothing can be written: it is reported, and the bytes are a gap", async () => {
    const faults: unknown[] = [];
    const spool = await open({ onFault: (error) => faults.push(error) });
    await rm(folder, { recursive: true });
    await writeFile(folder, "not a folder");
    spool.append("t:/1", 0, Buffer.from("lost"));
    await spool.end("t:/1");
    expect(faults.length).toBeGreaterThan(0);
    await spool.close();
  });

  it("[D20][D21] whatever is written and read in whatever order, every byte it gives is the right one", async () => {
    const step = fc.record({
      gap: fc.constantFrom(0, 0, 0, 50),
      length: fc.integer({ min: 0, max: 3000 }),
      next: fc.constantFrom("continue", "read", "end", "reopen"),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (run) => {
        const rules = { folder: path.join(folder, String((count += 1))), terminalBytes: 12_000 };
        let spool = await openFileSpool(rules);
        let offset = 0;
        for (const { gap, length, next } of run) {
          offset += offset > 0 ? gap : 0;
          spool.append("t:/1", offset, output(offset, length));
          offset += length;
          if (next === "read") await expectRight(spool);
          if (next === "end") await spool.end("t:/1");
          if (next === "reopen") {
            await spool.close();
            spool = await openFileSpool(rules);
          }
        }
        await spool.end("t:/1");
        await expectRight(spool);
        const extent = await spool.extent("t:/1");
        if (offset > 0 && run.at(-1)?.length !== 0) expect(extent?.endOffset).toBe(offset);
        await spool.close();
      }),
      { numRuns: 50 },
    );
  });
});

async function expectRight(spool: TerminalSpool): Promise<void> {
  let from = 0;
  for (let slice = await spool.read("t:/1", from, 777); slice; slice = await spool.read("t:/1", from, 777)) {
    expect(slice.startOffset).toBeGreaterThanOrEqual(from);
    expect(slice.endOffset - slice.startOffset).toBe(slice.bytes.length);
    expect(Buffer.from(slice.bytes).equals(output(slice.startOffset, slice.bytes.length))).toBe(true);
    from = slice.endOffset;
  }
}
