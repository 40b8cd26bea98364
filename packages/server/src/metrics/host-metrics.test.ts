// Measurements of a host: taken when somebody looks, bounded in number, and given up when closed.
import { setImmediate as nextTurnOfLoop } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { noStats, turnDone, turnFailed, turnStarted, WatchedHost } from "../testing/watched-host.ts";
import { HostMetrics } from "./host-metrics.ts";

function measure(host: WatchedHost): HostMetrics {
  const metrics = new HostMetrics(host, { openStreams: () => 2, waitingDeliveries: () => 3 });
  onTestFinished(() => metrics.close());
  return metrics;
}

async function linesOf(metrics: HostMetrics, prefix: string): Promise<string[]> {
  const text = await metrics.render();
  return text.split("\n").filter((line) => line.startsWith(prefix));
}

describe("[O11] measurements", () => {
  it("[O11] are those of the moment: what went down is down, what was counted stays", async () => {
    const host = new WatchedHost();
    const metrics = measure(host);
    host.statsNow = { ...noStats, sessions: { ready: 2, stale: 1 }, terminalBytes: 10, lagEntries: 7 };
    expect(await linesOf(metrics, "holdfast_sessions{")).toEqual([
      'holdfast_sessions{state="ready"} 2',
      'holdfast_sessions{state="stale"} 1',
    ]);
    host.statsNow = { ...noStats, sessions: { ready: 1 }, terminalBytes: 25, terminalSkippedBytes: 4 };
    expect(await linesOf(metrics, "holdfast_sessions{")).toEqual(['holdfast_sessions{state="ready"} 1']);
    expect(await linesOf(metrics, "holdfast_terminal_")).toEqual([
      "holdfast_terminal_bytes_total 25",
      "holdfast_terminal_skipped_bytes_total 4",
    ]);
    expect(await linesOf(metrics, "holdfast_reader_lag_entries")).toEqual(["holdfast_reader_lag_entries 0"]);
    expect(await linesOf(metrics, "holdfast_webhook_deliveries_waiting")).toEqual([
      "holdfast_webhook_deliveries_waiting 3",
    ]);
  });

  it("[O11] have few labels, whatever agents and states are called", async () => {
    const host = new WatchedHost();
    const metrics = measure(host);
    for (let agent = 0; agent < 1000; agent += 1) host.notify(turnStarted(`agent-${agent}`));
    const states = Array.from({ length: 100 }, (_, index) => [`state-${index}`, 1] as const);
    host.statsNow = { ...noStats, sessions: Object.fromEntries(states) };
    const started = await linesOf(metrics, "holdfast_turns_started_total{");
    expect(started).toHaveLength(65);
    expect(started).toContain('holdfast_turns_started_total{agent="other"} 936');
    const sessions = await linesOf(metrics, "holdfast_sessions{");
    expect(sessions).toContain('holdfast_sessions{state="other"} 84');
  });

  it("[O11] count turns by how they ended, until they are closed", async () => {
    const host = new WatchedHost();
    const metrics = measure(host);
    for (const event of [turnDone(), turnDone(), turnFailed()]) host.notify(event);
    expect(await linesOf(metrics, "holdfast_turns_ended_total{")).toEqual([
      'holdfast_turns_ended_total{agent="shell",state="complete"} 2',
      'holdfast_turns_ended_total{agent="shell",state="failed"} 1',
    ]);
    metrics.close();
    expect(host.watcherCount).toBe(0);
  });

  it("[O11] of two servers in one process are apart", async () => {
    const host = new WatchedHost();
    const first = measure(host);
    const second = measure(new WatchedHost());
    host.notify(turnStarted());
    first.countDelivery("dead");
    expect(await linesOf(first, "holdfast_turns_started_total{")).toHaveLength(1);
    expect(await linesOf(second, "holdfast_turns_started_total{")).toEqual([]);
    expect(await linesOf(second, "holdfast_webhook_deliveries_total{")).toEqual([]);
  });

  it("[O11] show how late the loop was since the last look", async () => {
    const metrics = measure(new WatchedHost());
    const delayOf = async (): Promise<number> => {
      const [line = ""] = await linesOf(metrics, 'holdfast_event_loop_delay_seconds{quantile="0.99"}');
      return Number(line.split(" ")[1]);
    };
    const looks = { timeout: 10_000, interval: 120 };
    await vi.waitFor(async () => {
      const end = performance.now() + 200;
      while (performance.now() < end);
      // Timers have their turn in the next round of the loop.
      await nextTurnOfLoop();
      await nextTurnOfLoop();
      expect(await delayOf()).toBeGreaterThan(0.1);
    }, looks);
    await vi.waitFor(async () => expect(await delayOf()).toBeLessThan(0.1), looks);
  });
});
