// The program's log on stderr: lines for people on a terminal, JSON lines for everything else (C9).
import type { Log } from "@holdfast/core";

/** Where a log goes. */
export interface LogSink {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** A log that writes one line for each thing said. */
export function createLog(sink: LogSink, now: () => Date = () => new Date()): Log {
  const format = sink.isTTY === true ? formatForPeople : formatAsJson;
  return (level, message, facts = {}) => {
    sink.write(`${format(now(), level, message, facts)}\n`);
  };
}

type Facts = Readonly<Record<string, unknown>>;

function formatForPeople(at: Date, level: string, message: string, facts: Facts): string {
  const clock = at.toTimeString().slice(0, 8);
  const words = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value instanceof Error ? describeStack(value) : inJson(value)}`);
  return [`${clock} ${level.padEnd(5)} ${message}`, ...words].join(" ");
}

function formatAsJson(at: Date, level: string, message: string, facts: Facts): string {
  // What the line itself says comes last, so that no fact of the same name can hide it.
  return inJson({ ...facts, time: at.toISOString(), level, message });
}

function describeStack(error: Error): string {
  return error.stack ?? `${error.name}: ${error.message}`;
}

function inJson(value: unknown): string {
  const parents: unknown[] = [];
  return (
    JSON.stringify(value, function replace(this: unknown, _key, each: unknown) {
      if (typeof each === "bigint") return String(each);
      if (typeof each !== "object" || each === null) return each;
      // JSON.stringify walks depth first: whatever lies behind the current owner is no longer above it.
      while (parents.length > 0 && parents.at(-1) !== this) parents.pop();
      if (parents.includes(each)) return "(circular)";
      const shown = each instanceof Error ? describeError(each) : each;
      parents.push(shown);
      return shown;
    }) ?? String(value)
  );
}

function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  const code: unknown = "code" in error ? error.code : undefined;
  return { name, message, code, stack, cause };
}
