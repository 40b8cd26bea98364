// Stats of the host, read from its metrics.

export interface HostStats {
  readonly atMs: number;
  readonly sessions: number;
  readonly turnsRunning: number;
  readonly terminalsRunning: number;
  readonly agentsRunning: number;
  readonly subscribers: number;
  /** Bytes that terminals have written since the start. */
  readonly terminalBytes: number;
  /** How late the host's loop is at worst, but for one time in a hundred. */
  readonly loopDelayMs: number;
  readonly memoryBytes: number;
}

/** Reads the text of the metrics; what is not in it counts as nothing. */
export function readStats(metrics: string, atMs: number): HostStats {
  const sum = (name: string, label = ""): number => {
    let total = 0;
    for (const line of metrics.split("\n")) {
      const [, found = "", labels = "", value = ""] = /^(\w+)(?:\{([^}]*)\})? (\S+)$/.exec(line) ?? [];
      if (found === `holdfast_${name}` && labels.includes(label)) total += Number(value);
    }
    return total;
  };
  return {
    atMs,
    sessions: sum("sessions"),
    turnsRunning: sum("turns_running"),
    terminalsRunning: sum("terminals_running"),
    agentsRunning: sum("agents_running"),
    subscribers: sum("subscribers"),
    terminalBytes: sum("terminal_bytes_total"),
    loopDelayMs: sum("event_loop_delay_seconds", 'quantile="0.99"') * 1000,
    memoryBytes: sum("process_memory_bytes", 'kind="resident"'),
  };
}

/** Bytes per second between each sample and the one before it; after a restart the host counts from zero. */
export function bytesPerSecond(stats: readonly HostStats[]): number[] {
  return stats.slice(1).map((sample, index) => {
    const before = stats[index] ?? sample;
    const seconds = Math.max(0.001, (sample.atMs - before.atMs) / 1000);
    return Math.max(0, sample.terminalBytes - before.terminalBytes) / seconds;
  });
}
