// Times for people: ages in lists and options, durations, the time of day.
import { InvalidArgumentError } from "commander";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const unitsMs: Readonly<Record<string, number>> = {
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
};

/** The age of a moment in one short word: `42s`, `5m`, `3h`, `12d`. */
export function ageWord(at: string, nowMs: number): string {
  // Another machine's clock may be ahead of ours.
  return spanWord(Math.max(0, nowMs - Date.parse(at)));
}

/** The time until a moment, as `ageWord` has it. */
export function untilWord(at: string, nowMs: number): string {
  return spanWord(Math.max(0, Date.parse(at) - nowMs));
}

function spanWord(spanMs: number): string {
  if (spanMs < minuteMs) return `${Math.floor(spanMs / secondMs)}s`;
  if (spanMs < hourMs) return `${Math.floor(spanMs / minuteMs)}m`;
  if (spanMs < 2 * dayMs) return `${Math.floor(spanMs / hourMs)}h`;
  return `${Math.floor(spanMs / dayMs)}d`;
}

/** Reads an age such as `30d`, in milliseconds. */
export function readAgeMs(text: string): number {
  const [, digits, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  if (digits !== undefined && unitMs !== undefined) return Number(digits) * unitMs;
  throw new InvalidArgumentError("It must be a number with a unit: 90s, 15m, 12h, 30d or 4w.");
}

/** A duration in the unit that people would use: `80 ms`, `4.2 s`, `3 min 5 s`. */
export function durationWords(timeMs: number): string {
  if (timeMs < secondMs) return `${Math.round(timeMs)} ms`;
  if (timeMs < minuteMs) return `${(timeMs / secondMs).toFixed(1)} s`;
  return `${Math.floor(timeMs / minuteMs)} min ${Math.floor((timeMs % minuteMs) / secondMs)} s`;
}

/** The time of day here: `14:05:09`. */
export function clockTime(at: Date): string {
  return at.toTimeString().slice(0, 8);
}
