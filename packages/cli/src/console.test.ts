// What goes to which stream, and when it is coloured.
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Console, Paint, Progress, type Streams, tableLines } from "./console.ts";

interface Recorded {
  readonly console: Console;
  readonly out: () => string;
  readonly err: () => string;
}

function record(
  isTTY: boolean,
  { json = false, environment = {} }: { json?: boolean; environment?: Record<string, string> } = {},
): Recorded {
  const stream = (): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY });
  const [stdin, stdout, stderr] = [stream(), stream(), stream()];
  const streams = { stdin, stdout, stderr } as object as Streams;
  const read = (from: PassThrough): string => ((from.read() as Buffer | null) ?? "").toString();
  return {
    console: new Console({ streams, environment, json }),
    out: () => read(stdout),
    err: () => read(stderr),
  };
}

describe("[C14] the console", () => {
  it("[C14] gives results to stdout, and words beside them to a terminal alone", async () => {
    for (const isTTY of [true, false]) {
      const { console, out, err } = record(isTTY);
      await console.print("a result");
      console.note("words");
      expect(out()).toBe("a result\n");
      expect(err()).toBe(isTTY ? "words\n" : "");
      console.warn("it matters");
      expect(err()).toBe("holdfast: it matters\n");
    }
  });

  it("[C14] under --json says nothing that is not JSON", async () => {
    const { console, out, err } = record(true, { json: true });
    await console.printJson({ a: 1 });
    console.note("words");
    console.warn("it matters");
    expect(out()).toBe('{"a":1}\n');
    expect(err()).toBe('{"warning":"it matters"}\n');
    expect(console.canAsk).toBe(false);
  });

  it("[C880] escapes what steers a terminal in a warning", () => {
    const line = "The host said: \u001B[2J\u009B1m\n\tnext";
    for (const isTTY of [true, false]) {
      const { console, err } = record(isTTY);
      console.warn(line);
      expect(err()).toBe("holdfast: The host said: \\e[2J\\u009b1m\n\tnext\n");
    }
    const { console, err } = record(true, { json: true });
    console.warn(line);
    const printed = err();
    expect(printed.trimEnd()).not.toMatch(/\p{Cc}/u);
    expect(JSON.parse(printed)).toEqual({ warning: line });
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  ])("[C14] on a terminal (%s) with %j colours: %s", (isTTY, environment, isColoured) => {
    const { console } = record(isTTY, { environment });
    expect(console.paint.red("x") !== "x").toBe(isColoured);
    expect(console.notePaint.bold("x") !== "x").toBe(isColoured);
  });
});

describe("[C14] progress", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("[C14] is shown when the wait is longer than a second, and leaves no trace", () => {
    const written: string[] = [];
    const progress = new Progress("Waiting", { write: (text) => written.push(text) });
    vi.advanceTimersByTime(950);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(300);
    expect(written.at(-1)).toContain("Waiting (1 s)");
    progress.say("Still waiting");
    vi.advanceTimersByTime(1000);
    expect(written.at(-1)).toContain("Still waiting (2 s)");
    progress.close();
    expect(written.at(-1)).toBe("\r\u001B[K");
    const { length } = written;
    progress.close();
    vi.advanceTimersByTime(5000);
    expect(written).toHaveLength(length);
  });

  it("[C14] that was short, or has no terminal, writes nothing", () => {
    const written: string[] = [];
    const short = new Progress("Waiting", { write: (text) => written.push(text) });
    vi.advanceTimersByTime(500);
    short.close();
    const silent = new Progress("Waiting", undefined);
    vi.advanceTimersByTime(5000);
    silent.close();
    expect(written).toEqual([]);
  });
});

describe("[C14] a table", () => {
  it("[C14] has columns as wide as what is in them, and one line for each row whatever is in it", () => {
    const columns = [{ heading: "ID" }, { heading: "TITLE" }, { heading: "FOLDER" }];
    const rows = [
      ["a", "two\nlines\u001B[2J", "/x"],
      ["longer", "", ""],
    ];
    expect(tableLines(columns, rows, new Paint(false))).toEqual([
      "ID      TITLE          FOLDER",
      "a       two lines [2J  /x",
      "longer",
    ]);
  });
});
