// Waits for the machine to be quiet: latencies on a busy one say more about its other work than about ours.
import { cpus } from "node:os";
import { progress } from "./progress.ts";

const sampleMs = 400;
const quietShare = 0.85;

/** Waits for quiet moments before measurements, but not for ever, and remembers how quiet it was. */
export class QuietMachine {
  readonly #limitMs: number;
  readonly #idlePercents: number[] = [];

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** How idle the machine was before each measurement. */
  get idlePercents(): readonly number[] {
    return this.#idlePercents;
  }

  /** Resolves when hardly anything else runs, or at the limit. */
  async wait(): Promise<void> {
    const untilMs = performance.now() + this.#limitMs;
    let share = await idleShare();
    while (share < quietShare && performance.now() < untilMs) share = await idleShare();
    if (share < quietShare) progress(`the machine is busy: ${Math.round(share * 100)} % idle`);
    this.#idlePercents.push(Math.round(share * 100));
  }
}

async function idleShare(): Promise<number> {
  const before = readTimes();
  await new Promise((resolve) => setTimeout(resolve, sampleMs));
  const after = readTimes();
  return (after.idleMs - before.idleMs) / (after.allMs - before.allMs);
}

function readTimes(): { idleMs: number; allMs: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    idleMs: sum(times.map(({ idle }) => idle)),
    allMs: sum(times.flatMap((cpu) => Object.values(cpu))),
  };
}
