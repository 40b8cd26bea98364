// Subscribers: when they are notified, what they read, and that they cannot harm each other.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ByteSubscription } from "./byte-subscription.ts";
import { type Clock, systemClock } from "./clock.ts";
import { TerminalOutput } from "./output.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
const numRuns = isLong ? 20_000 : 1000;
const KIB = 1024;

/** A clock that the test advances. */
class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ dueMs: number; callback: () => void }>();

  get timerCount(): number {
    return this.#timers.size;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  startTimer(callback: () => void, delayMs: number) {
    const timer = { dueMs: this.#nowMs + delayMs, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  pass(durationMs: number): void {
    this.#nowMs += durationMs;
    for (const timer of this.#timers) {
      if (timer.dueMs > this.#nowMs) continue;
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

function open(replayBytes = 1024 * KIB) {
  const clock = new ManualClock();
  const errors: unknown[] = [];
  const output = new TerminalOutput({
    kind: "text",
    textLimitBytes: 0,
    replayBytes,
    clock,
    onListenerError: (error) => errors.push(error),
  });
  return { clock, output, errors };
}

function readAll(subscription: ByteSubscription): string {
  let text = "";
  for (let batch = subscription.read(); batch; batch = subscription.read()) text += batch.bytes.toString();
  return text;
}

/** A subscriber that reads everything at each notification. */
function follow(output: TerminalOutput) {
  const batches: string[] = [];
  const subscription = output.subscribe({ from: "end" }, () => batches.push(readAll(subscription)));
  return { batches, subscription };
}

describe("notification", () => {
  it("[T72] comes at once after idle, then at most every 8 ms with all that came meanwhile", () => {
    const { clock, output } = open();
    const { batches } = follow(output);
    output.push(Buffer.from("a"));
    expect(batches).toEqual(["a"]);
    output.push(Buffer.from("b"));
    clock.pass(5);
    output.push(Buffer.from("c"));
    expect(batches).toEqual(["a"]);
    clock.pass(3);
    expect(batches).toEqual(["a", "bc"]);
    clock.pass(8);
    output.push(Buffer.from("d"));
    expect(batches).toEqual(["a", "bc", "d"]);
  });

  it("[T72] comes sooner when 64 KiB are pending", () => {
    const { output, clock } = open();
    const { batches } = follow(output);
    output.push(Buffer.from("a"));
    for (let kib = 0; kib < 130; kib++) output.push(Buffer.alloc(KIB, "x"));
    expect(batches.map((batch) => batch.length)).toEqual([1, 64 * KIB, 64 * KIB]);
    clock.pass(8);
    expect(batches.map((batch) => batch.length)).toEqual([1, 64 * KIB, 64 * KIB, 2 * KIB]);
  });

  it("[T72] is not repeated before the subscriber has read to the end", () => {
    const { clock, output } = open();
    let notified = 0;
    const subscription = output.subscribe({}, () => notified++);
    output.push(Buffer.from("abc"));
    expect(notified).toBe(1);
    clock.pass(100);
    output.push(Buffer.from("def"));
    subscription.read(2);
    clock.pass(100);
    output.push(Buffer.from("ghi"));
    expect([notified, clock.timerCount]).toEqual([1, 0]);
    expect(readAll(subscription)).toBe("cdefghi");
    output.push(Buffer.from("j"));
    expect(notified).toBe(2);
  });

  it("[T72] is left out when the subscriber has already read", () => {
    const { clock, output } = open();
    const { batches, subscription } = follow(output);
    output.push(Buffer.from("a"));
    output.push(Buffer.from("b"));
    expect(readAll(subscription)).toBe("b");
    clock.pass(8);
    expect(batches).toEqual(["a"]);
    output.push(Buffer.from("c"));
    expect(batches).toEqual(["a", "c"]);
  });

  it("[T72] [T75] needs no timer without subscribers, and one for many", () => {
    const { clock, output } = open();
    output.push(Buffer.from("a"));
    output.push(Buffer.from("b"));
    expect(clock.timerCount).toBe(0);
    const followers = [follow(output), follow(output), follow(output)];
    output.push(Buffer.from("c"));
    output.push(Buffer.from("d"));
    expect(clock.timerCount).toBe(1);
    for (const { subscription } of followers) subscription.close();
    expect(clock.timerCount).toBe(0);
    output.push(Buffer.from("e"));
    expect(followers.map(({ batches }) => batches)).toEqual([["c"], ["c"], ["c"]]);
  });

  it("[T74] of one that throws harms neither the others nor the push", () => {
    const { output, errors } = open();
    const failure = new Error("viewer broke");
    output.subscribe({}, () => {
      throw failure;
    });
    const { batches } = follow(output);
    output.push(Buffer.from("a"));
    expect(batches).toEqual(["a"]);
    expect(output.endOffset).toBe(1);
    output.ended();
    expect(errors).toEqual([failure, failure]);
  });

  it("[T74] may subscribe and unsubscribe others", () => {
    const { output, clock } = open();
    const late: string[] = [];
    const second = output.subscribe({ from: "end" }, () => late.push("second"));
    const first = output.subscribe({ from: "end" }, () => {
      second.close();
      first.close();
      const third = output.subscribe({}, () => late.push(readAll(third)));
      late.push(readAll(third));
    });
    second.close();
    output.push(Buffer.from("a"));
    clock.pass(8);
    output.push(Buffer.from("b"));
    expect(late).toEqual(["a", "b"]);
  });
});

describe("reading", () => {
  it("[T73] begins where asked: an offset, the oldest byte kept, or the end", () => {
    const { output } = open(8);
    output.push(Buffer.from("0123456789"));
    const offsets = (["start", "end", 5, 0, 10] as const).map(
      (from) => output.subscribe({ from }, () => {}).offset,
    );
    expect(offsets).toEqual([2, 10, 5, 0, 10]);
    for (const from of [-1, 11, 1.5, Number.NaN]) {
      expect(() => output.subscribe({ from }, () => {})).toThrow(RangeError);
    }
  });

  it("[T73] reports exactly what was skipped, and every byte is read, skipped or yet to come", () => {
    const operations = fc.array(
      fc.oneof(
        fc.record({ push: fc.nat(40) }),
        fc.record({ reader: fc.nat(2), maxBytes: fc.integer({ min: 1, max: 30 }) }),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 50 }), operations, (replayBytes, steps) => {
        const { output } = open(replayBytes);
        const readers = [0, 1, 2].map(() => output.subscribe({}, () => {}));
        let written = 0;
        for (const step of steps) {
          if ("push" in step) {
            output.push(Uint8Array.from({ length: step.push }, (_, index) => (written + index) % 251));
            written += step.push;
            continue;
          }
          const reader = readers[step.reader]!;
          const before = reader.offset;
          const batch = reader.read(step.maxBytes);
          expect(batch === undefined).toBe(before === written);
          if (!batch) continue;
          expect(batch.offset).toBe(Math.max(before, written - replayBytes));
          expect(batch.skippedBytes).toBe(batch.offset - before);
          expect(batch.bytes.length).toBe(Math.min(step.maxBytes, written - batch.offset));
          expect([...batch.bytes]).toEqual(
            [...batch.bytes.keys()].map((index) => (batch.offset + index) % 251),
          );
          expect(reader.offset).toBe(batch.offset + batch.bytes.length);
        }
      }),
      { numRuns },
    );
  });

  it("[T73] gives bytes that later output does not change", () => {
    const { output } = open(8);
    const { subscription } = follow(output);
    output.push(Buffer.from("abcd"));
    const other = output.subscribe({}, () => {});
    const batch = other.read();
    output.push(Buffer.from("XXXXXXXXXX"));
    expect(batch?.bytes.toString()).toBe("abcd");
    expect(subscription.offset).toBe(4);
    expect(output.bytes(6, 8).toString()).toBe("XX");
  });
});

describe("the end", () => {
  it("[T75] is reported once to each, also to one that lags, and reached after the last byte", () => {
    const { clock, output } = open();
    const calls = { quick: 0, lagging: 0 };
    const quick = output.subscribe({}, () => calls.quick++);
    const lagging = output.subscribe({}, () => calls.lagging++);
    output.push(Buffer.from("a"));
    readAll(quick);
    output.push(Buffer.from("b"));
    expect(calls).toEqual({ quick: 1, lagging: 1 });
    output.ended();
    output.ended();
    expect(clock.timerCount).toBe(0);
    expect(calls).toEqual({ quick: 2, lagging: 2 });
    expect([quick.ended, lagging.ended]).toEqual([false, false]);
    expect([readAll(quick), readAll(lagging)]).toEqual(["b", "ab"]);
    expect([quick.ended, lagging.ended]).toEqual([true, true]);
    clock.pass(100);
    output.close();
    expect(calls).toEqual({ quick: 2, lagging: 2 });
  });

  it("[T75] is seen by one that subscribes afterwards", () => {
    const { output } = open();
    output.push(Buffer.from("a"));
    output.ended();
    const late = output.subscribe({}, () => {});
    expect(late.ended).toBe(false);
    expect(readAll(late)).toBe("a");
    expect(late.ended).toBe(true);
  });

  it("[T73] [T75] ends an iteration, after all bytes", async () => {
    const { clock, output } = open();
    const subscription = output.subscribe({}, () => {});
    const texts: string[] = [];
    const iteration = (async () => {
      for await (const { bytes } of subscription) texts.push(bytes.toString());
    })();
    output.push(Buffer.from("a"));
    await Promise.resolve();
    output.push(Buffer.from("b"));
    clock.pass(8);
    output.ended();
    await iteration;
    expect(texts.join("")).toBe("ab");
  });

  it("[T75] ends an iteration that waits when the terminal or the subscription is closed", async () => {
    const { output } = open();
    const subscription = output.subscribe({}, () => {});
    const other = output.subscribe({}, () => {});
    const drain = async (source: ByteSubscription) => {
      for await (const batch of source) expect(batch).toBeUndefined();
    };
    const both = [drain(subscription), drain(other)];
    await Promise.resolve();
    subscription.close();
    output.close();
    await Promise.all(both);
    expect([subscription.read(), other.read()]).toEqual([undefined, undefined]);
  });
});

describe("the machine's clock", () => {
  it("[T72] wakes a subscriber after the interval", async () => {
    const output = new TerminalOutput({ kind: "text", textLimitBytes: 0, replayBytes: 100 });
    const seen = await new Promise<string>((resolve) => {
      let text = "";
      const subscription = output.subscribe({}, () => {
        text += readAll(subscription);
        if (text === "ab") resolve(text);
      });
      output.push(Buffer.from("a"));
      output.push(Buffer.from("b"));
    });
    expect(seen).toBe("ab");
    output.close();
  });

  it("[T75] does not keep the process alive", () => {
    const keepingAlive = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const before = keepingAlive();
    const timer = systemClock.startTimer(() => {}, 60_000);
    expect(keepingAlive()).toBe(before);
    timer.cancel();
  });
});
