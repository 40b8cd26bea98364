// What the host measures of itself, read from its metrics.

/** How things stand on the host at a moment. */
export interface HostFigures {
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
export function readFigures(metrics: string, atMs: number): HostFigures {
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

/** Bytes in a second between each figure and the one before it; a host that was started again begins anew. */
export function bytesPerSecond(figures: readonly HostFigures[]): number[] {
  return figures.slice(1).map((figure, index) => {
    const before = figures[index] ?? figure;
    const seconds = Math.max(0.001, (figure.atMs - before.atMs) / 1000);
    return Math.max(0, figure.terminalBytes - before.terminalBytes) / seconds;
  });
}
