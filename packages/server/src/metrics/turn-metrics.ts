// Counts turns as the host tells of them.
import type { HostEvent } from "@holdfast/core";
import { Counter, Histogram, type Registry } from "prom-client";
import { BoundedLabel } from "./bounded-label.ts";

/** Agents of the catalogue and of the configuration are fewer; this only bounds what nobody foresaw. */
const maxAgents = 64;
/** From a word to an hour. */
const durationBuckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];

/** The turns of a host since its start. */
export class TurnMetrics {
  readonly #agents = new BoundedLabel(maxAgents);
  readonly #started: Counter<"agent">;
  readonly #ended: Counter<"agent" | "state">;
  readonly #duration: Histogram<"agent">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#started = new Counter({
      name: "holdfast_turns_started_total",
      help: "Turns that began.",
      labelNames: ["agent"],
      registers,
    });
    this.#ended = new Counter({
      name: "holdfast_turns_ended_total",
      help: "Turns that ended, by how.",
      labelNames: ["agent", "state"],
      registers,
    });
    this.#duration = new Histogram({
      name: "holdfast_turn_duration_seconds",
      help: "How long turns took.",
      labelNames: ["agent"],
      buckets: durationBuckets,
      registers,
    });
  }

  /** Counts an event that concerns a turn. */
  count(event: HostEvent): void {
    const agent = this.#agents.of(event.agentId);
    if (event.type === "turn_started") this.#started.inc({ agent });
    if (event.type !== "turn_done") return;
    this.#ended.inc({ agent, state: event.end.state });
    this.#duration.observe({ agent }, event.durationMs / 1000);
  }
}
