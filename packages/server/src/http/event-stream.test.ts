// The pump between a source and a reader: the reader's pace, the loop's turns, silence and ends.
import { Writable } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { EventStream, ReadSignal, type Chunk, type ChunkSource, type StreamOptions } from "./event-stream.ts";
import { OpenStreams } from "./open-streams.ts";

/** Gives the requested number of numbered chunks. */
class CountingSource implements ChunkSource {
  given = 0;
  isClosed = false;
  readonly #limit: () => number;
  readonly #size: number;

  constructor(limit: () => number, sizeBytes = 10) {
    this.#limit = limit;
    this.#size = sizeBytes;
  }

  get isOver(): boolean {
    return false;
  }

  next(): Chunk | undefined {
    if (this.given >= this.#limit()) return undefined;
    this.given += 1;
    return `${this.given}\n`.padStart(this.#size, " ");
  }

  close(): void {
    this.isClosed = true;
  }
}

/** A reader that reads on demand. */
class SlowReader extends Writable {
  text = "";
  #release: (() => void) | undefined;

  constructor(highWaterMark: number) {
    super({ highWaterMark });
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    this.#release = done;
  }

  take(): void {
    this.#release?.();
  }
}

function pumpOf(
  source: ChunkSource,
  options: Partial<StreamOptions> = {},
  signal = new ReadSignal(),
): EventStream {
  // No time passes, so that a tick's budget is never spent, however busy the machine is.
  const streams = new OpenStreams(() => 0);
  const report = (): string => "log-1";
  const own = { heartbeatMs: 60_000, streams, report };
  return new EventStream({ source, signal }, { ...own, ...options });
}

describe("[A22] a reader's pace", () => {
  it("[A22] nothing is made for one who takes nothing", async () => {
    const source = new CountingSource(() => 1000);
    const reader = new SlowReader(25);
    const signal = new ReadSignal();
    const pump = pumpOf(source, {}, signal);
    signal.notify();
    expect(source.given).toBe(0);
    pump.writeTo(reader);
    for (let count = 0; count < 3; count += 1) {
      signal.notify();
      await new Promise(setImmediate);
    }
    expect(source.given).toBe(3);
    reader.take();
    reader.take();
    reader.take();
    await vi.waitFor(() => expect(source.given).toBe(6));
    pump.close();
  });

  it("[A22] what comes later is written when the signal says so", () => {
    let limit = 1;
    const source = new CountingSource(() => limit);
    const signal = new ReadSignal();
    const reader = new SlowReader(1000);
    const pump = pumpOf(source, {}, signal);
    pump.writeTo(reader);
    expect(source.given).toBe(1);
    limit = 5;
    signal.notify();
    expect(source.given).toBe(5);
    pump.close();
    limit = 9;
    signal.notify();
    expect(source).toMatchObject({ given: 5, isClosed: true });
  });

  it("[A27] a reader that left before the beginning is released", () => {
    const source = new CountingSource(() => 1);
    const reader = new SlowReader(1);
    reader.destroy();
    pumpOf(source).writeTo(reader);
    expect(source).toMatchObject({ isClosed: true, given: 0 });
  });
});

describe("[A23] the turns of the loop", () => {
  it("[A23] are shared: backlogs of many readers leave others their turns, and each gets on", async () => {
    const streams = new OpenStreams();
    const sources = Array.from({ length: 20 }, () => new CountingSource(() => 20_000, 500));
    for (const source of sources) {
      // This one takes everything at once, for ever.
      const reader = new Writable({ highWaterMark: 1e9, write: (_chunk, _encoding, done) => done() });
      pumpOf(source, { streams }).writeTo(reader);
    }
    let turnsOfLoop = 0;
    while (sources.some(({ given }) => given < 20_000)) {
      await new Promise(setImmediate);
      turnsOfLoop += 1;
      if (turnsOfLoop === 40) expect(Math.min(...sources.map(({ given }) => given))).toBeGreaterThan(0);
    }
    expect(turnsOfLoop).toBeGreaterThan(10);
  });
});

describe("[A24] silence", () => {
  it("[A24] is not broken for one who takes nothing, for whom it would only pile up", async () => {
    const reader = new SlowReader(5);
    const pump = pumpOf(new CountingSource(() => 1), { heartbeatMs: 5 });
    pump.writeTo(reader);
    let heard = 0;
    const eager = new Writable({
      write: (_chunk, _encoding, done) => {
        heard += 1;
        done();
      },
    });
    const other = pumpOf(new CountingSource(() => 0), { heartbeatMs: 5 });
    other.writeTo(eager);
    await vi.waitFor(() => expect(heard).toBeGreaterThan(3));
    other.close();
    expect(reader.writableLength).toBe(10);
    reader.take();
    await vi.waitFor(() => expect(reader.text).toContain(": heartbeat"));
    pump.close();
  });
});

describe("[A40] a host that stops", () => {
  it("[A40] ends the stream with the reason, and closes the source once", async () => {
    const streams = new OpenStreams();
    const source = new CountingSource(() => 2);
    const reader = new SlowReader(1000);
    const pump = pumpOf(source, { streams });
    pump.writeTo(reader);
    streams.stop();
    for (let count = 0; count < 3; count += 1) {
      await new Promise(setImmediate);
      reader.take();
    }
    await vi.waitFor(() => expect(reader.writableFinished).toBe(true));
    expect(reader.text).toMatch(/1\n +2\nevent: error\ndata: .*HOST_STOPPING.*\n\nevent: close\n/);
    expect(source.isClosed).toBe(true);
    expect(streams.size).toBe(0);
  });
});
