// Programs whose output is expensive to draw, on the largest terminal with viewers: the host stays responsive.
import { makeId } from "@holdfast/ahp";
import { afterEach, describe, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { WatchingClient } from "../testing/terminal-viewer.ts";
import { drawingLimit } from "@holdfast/terminal/screen";

guardLeaks();
const newHost = useFakeHosts();
const size = { cols: 1000, rows: 500 };
/** Longer where other tests take the machine's time as well; without the bounds it was 5 to 50 s. */
const mostBlockMs = process.env["HOLDFAST_LONG"] === undefined ? 1000 : 400;
// The first screen loads the emulator, which takes its time as well.
await import("@holdfast/terminal/screen");

/** Notes the longest time for which nothing else could run. */
class BlockMeter {
  #lastMs = performance.now();
  #longestMs = 0;
  #isClosed = false;

  constructor() {
    this.#tick();
  }

  get longestMs(): number {
    return Math.max(this.#longestMs, performance.now() - this.#lastMs);
  }

  close(): void {
    this.#isClosed = true;
  }

  readonly #tick = (): void => {
    const nowMs = performance.now();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    if (!this.#isClosed) setTimeout(this.#tick, 1);
  };
}

/** Writes a sequence again and again to its alternate screen, then says so and stays. */
const program = String.raw`
const sequence = process.argv[1];
process.stdout.write("\x1b[?1049h" + "x".repeat(500 * 1000));
process.stdout.write(sequence.repeat(Math.floor(48 * 1024 / sequence.length)) + "\x1b]1;written\x07");
setInterval(() => {}, 1000);
`;

const mostDrawingMs = drawingLimit.mostMs;
/** One program has all of the time that a screen may take; for the others a tenth is many ticks, too. */
const isLong = process.env["HOLDFAST_LONG"] !== undefined;

describe("[T400, U402] a client that joins a terminal of 1000×500 does not stop the host, whatever is written", () => {
  afterEach(() => {
    drawingLimit.mostMs = mostDrawingMs;
  });

  test.each([
    ["scrolls", "\x1b[500S"],
    ["moves lines", "\x1b[H\x1b[500L\x1b[500M"],
    ["fills and clears", "\x1b#8\x1b[2J"],
    ["resets", "\x1bc\x1b[?1049h"],
    ["repeats in insert mode", "\x1b[4ha\x1b[1000b"],
    ["opens links and scrolls", "\x1b]8;;a\x07x\n"],
    ["changes colours in every cell", "\x1b[31;42mx\x1b[33;44my"],
  ])("[T400, U402] one that %s", async (name, sequence) => {
    expect(mostDrawingMs).toBe(5000);
    if (!isLong && name !== "scrolls") drawingLimit.mostMs = mostDrawingMs / 10;
    const terminals = newHost().terminals;
    const shell = { command: process.execPath, args: ["-e", program, sequence] };
    const uri = await terminals.create({ clientId: makeId("client", "ann"), shell, size });
    const first = await WatchingClient.open(terminals, uri, "ann");
    await first.sees("written");
    const meter = new BlockMeter();
    const late = await WatchingClient.open(terminals, uri, "bob");
    meter.close();
    expect(late.text.length).toBeGreaterThan(0);
    expect(meter.longestMs).toBeLessThan(mostBlockMs);
  });
});
