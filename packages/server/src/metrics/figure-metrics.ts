// Shows a host's own figures: they are asked for when somebody looks, and cost nothing until then.
import type { HostFigures } from "@holdfast/core";
import { Counter, Gauge, type Registry } from "prom-client";
import { BoundedLabel } from "./bounded-label.ts";

type Figure = Exclude<keyof HostFigures, "sessions">;

/** Figures that go up and down. */
const gauges: readonly (readonly [figure: Figure, name: string, help: string])[] = [
  ["turnsRunning", "holdfast_turns_running", "Turns that go on."],
  ["approvalsOpen", "holdfast_approvals_open", "Permission requests that wait for an answer."],
  ["agentsRunning", "holdfast_agents_running", "Processes of agents."],
  ["terminalsRunning", "holdfast_terminals_running", "Terminals whose command runs."],
  ["subscribers", "holdfast_subscribers", "Readers of channels."],
  ["lagEntries", "holdfast_reader_lag_entries", "How far the slowest reader of a channel is behind."],
];

/** Figures that only grow. */
const counters: readonly (readonly [figure: Figure, name: string, help: string])[] = [
  ["terminalBytes", "holdfast_terminal_bytes_total", "Bytes that terminals have written."],
  [
    "terminalSkippedBytes",
    "holdfast_terminal_skipped_bytes_total",
    "Bytes that slow viewers were not given.",
  ],
  [
    "survivorsEnded",
    "holdfast_survivors_ended_total",
    "Processes that outlived their command and were ended.",
  ],
];

/** The statuses of a session's lifecycle, with room for some that are new. */
const maxStates = 16;

/** What a host says of itself at a moment. */
export class FigureMetrics {
  readonly #states = new BoundedLabel(maxStates);
  readonly #sessions: Gauge<"state">;
  readonly #gauges: readonly (readonly [Figure, Gauge])[];
  readonly #counters: readonly (readonly [Figure, Counter])[];

  constructor(registry: Registry) {
    const registers = [registry];
    this.#sessions = new Gauge({
      name: "holdfast_sessions",
      help: "Open sessions by the state of their agent.",
      labelNames: ["state"],
      registers,
    });
    this.#gauges = gauges.map(([figure, name, help]) => [figure, new Gauge({ name, help, registers })]);
    this.#counters = counters.map(([figure, name, help]) => [figure, new Counter({ name, help, registers })]);
  }

  /** Takes over the figures of this moment. */
  show(figures: HostFigures): void {
    this.#sessions.reset();
    for (const [state, count] of Object.entries(figures.sessions)) {
      this.#sessions.inc({ state: this.#states.of(state) }, count);
    }
    for (const [figure, gauge] of this.#gauges) gauge.set(figures[figure]);
    for (const [figure, counter] of this.#counters) {
      counter.reset();
      counter.inc(figures[figure]);
    }
  }
}
