// The program's log on stderr: lines for people on a terminal, JSON lines for everything else, no secrets in either (C9).
import { Redactor, type Log } from "@holdfast/core";
import { clockTime } from "../time.ts";

export interface LogSink {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface LogOptions {
  /** Removes secrets; they are added to it as they become known. */
  readonly redactor?: Redactor;
  readonly now?: () => Date;
}

/** A log that writes one line for each thing said. */
export function createLog(sink: LogSink, options: LogOptions = {}): Log {
  const { redactor = new Redactor(), now = () => new Date() } = options;
  const format = sink.isTTY === true ? formatForPeople : formatAsJson;
  return (level, message, facts = {}) => {
    sink.write(`${format({ at: now(), level, message, facts }, redactor)}\n`);
  };
}

interface Entry {
  readonly at: Date;
  readonly level: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

function formatForPeople({ at, level, message, facts }: Entry, redactor: Redactor): string {
  const words = Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => `${name}=${value instanceof Error ? describeStack(value) : inJson(value, redactor)}`,
    );
  return `${clockTime(at)} ${level.padEnd(5)} ${redactor.redact([message, ...words].join(" "))}`;
}

function formatAsJson({ at, level, message, facts }: Entry, redactor: Redactor): string {
  // The line's own fields come last, so that no fact of the same name can hide them.
  return inJson({ ...facts, time: at.toISOString(), level, message }, redactor);
}

/** An error as a person reads it, with what caused it. */
function describeStack(error: Error): string {
  const parts: string[] = [];
  const seen = new Set<unknown>();
  for (let each: unknown = error; each instanceof Error && !seen.has(each); each = each.cause) {
    seen.add(each);
    parts.push(each.stack ?? `${each.name}: ${each.message}`);
  }
  return parts.join("\n  caused by ");
}

/** A value in JSON; each text is redacted separately, so that what is left is JSON whatever a secret looks like. */
function inJson(value: unknown, redactor: Redactor): string {
  const parents: { readonly source: object; readonly shown: object }[] = [];
  return (
    JSON.stringify(value, function replace(this: unknown, _key, each: unknown) {
      if (typeof each === "bigint") return redactor.redact(String(each));
      if (typeof each !== "object" || each === null) return redactor.redactDeep(each);
      // JSON.stringify walks depth first: whatever lies behind the current owner is no longer above it.
      while (parents.length > 0 && parents.at(-1)?.shown !== this) parents.pop();
      if (parents.some(({ source }) => source === each)) return "(circular)";
      const shown = redactNames(each instanceof Error ? describeError(each) : each, redactor);
      parents.push({ source: each, shown });
      return shown;
    }) ?? String(value)
  );
}

/** The same members under names without secrets; JSON.stringify passes the values to the replacer. */
function redactNames(members: object, redactor: Redactor): object {
  if (redactor.isEmpty || Array.isArray(members)) return members;
  if (Object.keys(members).every((name) => redactor.redact(name) === name)) return members;
  return Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [redactor.redact(name), value]),
  );
}

function describeError(error: Error): object {
  const { name, message, stack, cause } = error;
  const code: unknown = "code" in error ? error.code : undefined;
  return { name, message, code, stack, cause };
}
