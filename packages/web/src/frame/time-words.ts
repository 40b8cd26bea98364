// Times and sizes in words for people.
import { useEffect, useState } from "react";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long something took: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function durationWords(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < minuteMs) return `${(Math.floor(durationMs / 100) / 10).toFixed(1)} s`;
  if (durationMs < hourMs) {
    return `${Math.floor(durationMs / minuteMs)} min ${Math.floor((durationMs % minuteMs) / 1000)} s`;
  }
  return `${Math.floor(durationMs / hourMs)} h ${Math.floor((durationMs % hourMs) / minuteMs)} min`;
}

/** A running time, in whole seconds: `0 s`, `14 s`, `2 min 5 s`. */
export function secondsWords(durationMs: number): string {
  const wholeMs = Math.floor(Math.max(0, durationMs) / 1000) * 1000;
  return wholeMs < minuteMs ? `${wholeMs / 1000} s` : durationWords(wholeMs);
}

/** How long something took from one time to another; undefined where one of them is not known. */
export function spanWords(startedAt: string | undefined, endedAt: string | undefined): string | undefined {
  if (startedAt === undefined || endedAt === undefined) return undefined;
  // They may come from two clocks.
  return durationWords(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)));
}

/** How long ago something was: `now`, `5 min`, `3 h`, `2 d`. */
export function agoWords(at: string, nowMs: number): string {
  const agoMs = Math.max(0, nowMs - Date.parse(at));
  if (agoMs < minuteMs) return "now";
  if (agoMs < hourMs) return `${Math.floor(agoMs / minuteMs)} min`;
  return agoMs < dayMs ? `${Math.floor(agoMs / hourMs)} h` : `${Math.floor(agoMs / dayMs)} d`;
}

/** A time of day, with the date where it is not today's. */
export function clockWords(at: string): string {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(undefined, {
    hour: "numeric",
    minute: "2-digit",
    ...(!isToday && { day: "numeric", month: "short" }),
  });
}

/** A size: `812 B`, `3.4 kB`, `12 MB`. */
export function sizeWords(sizeBytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = sizeBytes;
  let index = 0;
  while (value >= 1000 && index < units.length - 1) {
    value /= 1000;
    index += 1;
  }
  return `${value >= 10 || index === 0 ? Math.round(value) : value.toFixed(1)} ${units[index]}`;
}

/** The time in milliseconds, updated at an interval while it is running. */
export function useNow(everyMs: number, isRunning = true): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isRunning]);
  return nowMs;
}
