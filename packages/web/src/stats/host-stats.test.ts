// Stats parsed from metrics as the host writes them.
import { describe, expect, it } from "vitest";
import { bytesPerSecond, readStats } from "./host-stats.ts";

const metrics = `# HELP holdfast_sessions Open sessions.
# TYPE holdfast_sessions gauge
holdfast_sessions{state="stale"} 1
holdfast_sessions{state="ready"} 2
holdfast_terminal_bytes_total 5000
holdfast_event_loop_delay_seconds{quantile="0.5"} 0.0001
holdfast_event_loop_delay_seconds{quantile="0.99"} 0.02
holdfast_process_memory_bytes{kind="resident"} 122208256
holdfast_process_memory_bytes{kind="heap"} 26937880
`;

describe("[Z32] stats", () => {
  it("[Z32] are read from the host's metrics", () => {
    expect(readStats(metrics, 7)).toEqual({
      atMs: 7,
      sessions: 3,
      turnsRunning: 0,
      terminalsRunning: 0,
      agentsRunning: 0,
      subscribers: 0,
      terminalBytes: 5000,
      loopDelayMs: 20,
      memoryBytes: 122_208_256,
    });
  });

  it("[Z32] give the rate of bytes, also when the host was restarted", () => {
    const at = (atMs: number, terminalBytes: number): ReturnType<typeof readStats> => ({
      ...readStats("", atMs),
      terminalBytes,
    });
    expect(bytesPerSecond([at(0, 0), at(2000, 1000), at(3000, 1000), at(4000, 10)])).toEqual([500, 0, 0]);
  });
});
