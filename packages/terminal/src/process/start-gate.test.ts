// Starts that come all at once: in order, bounded, and refused beyond that.
import { describe, expect, it } from "vitest";
import { guardLeaks } from "../testing/leaks.ts";
import { StartGate } from "./start-gate.ts";
import { makeAcpTerminals } from "../testing/level.ts";

guardLeaks();
const mebibyte = 1024 * 1024;

describe("the gate", () => {
  it("[T241] lets starts through in their order, as many and as large as its limits say", async () => {
    const gate = new StartGate({ running: 3, runningBytes: 100, waiting: 100, waitingBytes: 10_000 });
    const order: number[] = [];
    let running = 0;
    let runningBytes = 0;
    const sizes = [10, 90, 10, 500, 1, 1, 1, 1, 60, 60];
    const starts = sizes.map((sizeBytes, index) =>
      gate.pass(sizeBytes, async () => {
        order.push(index);
        running += 1;
        runningBytes += sizeBytes;
        expect(running).toBeLessThanOrEqual(3);
        if (running > 1) expect(runningBytes).toBeLessThanOrEqual(100);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        runningBytes -= sizeBytes;
        if (index === 4) throw new Error("A start that fails frees its place too.");
      }),
    );
    const outcomes = await Promise.allSettled(starts);
    expect(order).toEqual(sizes.map((_, index) => index));
    expect(outcomes.map(({ status }) => status)).toEqual(
      sizes.map((_, index) => (index === 4 ? "rejected" : "fulfilled")),
    );
  });

  it("[T241] refuses what may not wait, and all that waits when it closes", async () => {
    const gate = new StartGate({ running: 1, runningBytes: 10, waiting: 2, waitingBytes: 10 });
    let end = (): void => {};
    const first = gate.pass(1, () => new Promise<void>((resolve) => (end = resolve)));
    const second = gate.pass(5, async () => "second");
    await expect(gate.pass(6, async () => "large")).rejects.toMatchObject({ code: "too_many_terminals" });
    const third = gate.pass(5, async () => "third");
    await expect(gate.pass(0, async () => "many")).rejects.toMatchObject({ code: "too_many_terminals" });
    end();
    await first;
    expect(await Promise.all([second, third])).toEqual(["second", "third"]);
  });
});

it("[T240] 300 requests with 1.4 MB of arguments are refused at once", async () => {
  const terminals = makeAcpTerminals({ environment: process.env, cwd: "/" });
  const args = Array.from({ length: 14 }, () => "x".repeat(100_000));
  const startedMs = performance.now();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, () => terminals.createTerminal({ sessionId: "s", command: "true", args })),
  );
  expect(performance.now() - startedMs).toBeLessThan(5000);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: "rejected", reason: { code: "invalid_request", field: "args" } });
  }
  await terminals.close();
});

it("[T241] 300 starts with 900 KB of arguments finish, refused or done, in bounded memory", async () => {
  const terminals = makeAcpTerminals({ environment: process.env, cwd: "/" });
  const args = Array.from({ length: 9 }, () => "x".repeat(100_000));
  let peakBytes = 0;
  const beforeBytes = process.memoryUsage().rss;
  const timer = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage().rss)), 10);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 300 }, async () => {
      const { terminalId } = await terminals.createTerminal({ sessionId: "s", command: "true", args });
      return terminals.waitForTerminalExit({ sessionId: "s", terminalId });
    }),
  );
  clearInterval(timer);
  const refused = outcomes.filter(({ status }) => status === "rejected");
  for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: "too_many_terminals" } });
  expect(outcomes.length - refused.length).toBeGreaterThan(60);
  expect((peakBytes - beforeBytes) / mebibyte).toBeLessThan(300);
  await terminals.close();
}, 60_000);
