// Output as actions: only while somebody reads, in whole characters, and the same as the content made from the bytes.
import { Buffer } from "node:buffer";
import { type TerminalAction, makeId, newTerminalState, terminalUri } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import { Terminal } from "@holdfast/terminal/terminal";
import { type Clock, type CommandIndex, TerminalOutput } from "@holdfast/terminal/view";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Hub } from "../channel/hub.ts";
import { showAction } from "../testing/terminal-viewer.ts";
import { DisplayRun } from "./display-run.ts";
import { OutputPublisher } from "./output-publisher.ts";
import { showContent } from "./terminal-content.ts";

const uri = terminalUri(makeId("terminal", "t"));
const nonce = "n0nce";

interface Bench {
  readonly hub: Hub;
  readonly output: TerminalOutput;
  readonly publisher: OutputPublisher;
  /** The program of the terminal. */
  readonly stream: {
    readonly commands: CommandIndex;
    push(bytes: Uint8Array): void;
    exited(): void;
    close(): void;
  };
  /** Runs after each write, as the terminal does. */
  pushed(): void;
  /** Takes what was published since the last call. */
  published(): TerminalAction[];
  data(): string;
  content(): readonly TerminalPart[];
}

interface BenchOptions {
  readonly lingerMs?: number;
  readonly replayBytes?: number;
  readonly clock?: Clock;
}

function newBench(options: BenchOptions = {}): Bench {
  const { lingerMs = 0, replayBytes = 1024 * 1024, clock } = options;
  const hub = new Hub();
  const claim = { kind: "client", clientId: makeId("client", "c") } as const;
  hub.open(uri, "terminal", newTerminalState({ resource: uri, run: "tty", title: "sh", claim }));
  const output = new TerminalOutput({
    kind: "tty",
    textLimitBytes: 1024,
    replayBytes,
    folding: "lazy",
    ...(clock !== undefined && { clock }),
  });
  const publisher = new OutputPublisher({ hub, uri, output, lingerMs });
  publisher.opened();
  const { cursor } = hub.subscribe(uri);
  const published = (): TerminalAction[] => {
    const reading = cursor.read(100_000);
    return reading.kind === "entries" ? reading.entries.map(({ action }) => action as TerminalAction) : [];
  };
  const terminal = new Terminal({
    id: "t",
    kind: "tty",
    size: { columns: 80, rows: 24 },
    output,
    publisher,
    nonce,
    now: () => new Date(0),
  });
  const run = terminal.attach((sink) => new DisplayRun(sink));
  const stream = {
    commands: terminal.commands,
    push: (bytes: Uint8Array) => run.append(bytes),
    exited: () => run.exit(null, null),
    close: () => publisher.close(),
  };
  return {
    hub,
    output,
    publisher,
    stream,
    pushed: () => publisher.wrote(new Uint8Array(), output.endOffset),
    published,
    data: () =>
      published().reduce((all, action) => all + (action.type === "terminal/data" ? action.data : ""), ""),
    content: () => showContent(output, terminal.commands, publisher.wholeOffset).parts,
  };
}

const mark = (body: string): Buffer => Buffer.from(`\x1b]633;${body};${nonce}\x07`);

test("[U1] output is published as actions while somebody reads, and not while nobody does", () => {
  const { publisher, output, published } = newBench();
  output.push(Buffer.from("before"));
  expect(published()).toEqual([]);
  const reader = {};
  publisher.addReader(reader);
  output.push(Buffer.from("while"));
  expect(published()).toEqual([{ type: "terminal/data", data: "while", offset: 6, endOffset: 11 }]);
  publisher.removeReader(reader);
  output.push(Buffer.from("after"));
  expect(published()).toEqual([]);
});

test("[U1] a flood is published in batches, one string for all readers", () => {
  // Where time passes, a batch may go before it is full.
  const clock = { nowMs: () => 0, startTimer: () => ({ cancel: () => undefined }) };
  const { publisher, output, published, hub } = newBench({ clock });
  for (const reader of [{}, {}, {}]) publisher.addReader(reader);
  const before = hub.lastSeq;
  for (let count = 0; count < 1024; count += 1) output.push(Buffer.alloc(1024, "x"));
  publisher.flush();
  // The first piece goes at once, then 64 KiB at a time.
  expect(hub.lastSeq - before).toBe(17);
  expect(
    published().reduce((sum, action) => sum + (action.type === "terminal/data" ? action.data.length : 0), 0),
  ).toBe(1024 * 1024);
});

test("[U2] no character is cut: its first bytes wait for the rest, and the offset says so", () => {
  const { publisher, output, published, pushed } = newBench();
  publisher.addReader({ maxLatencyMs: 0 });
  const euro = Buffer.from("€");
  output.push(Buffer.concat([Buffer.from("a"), euro.subarray(0, 2)]));
  pushed();
  expect(published()).toEqual([{ type: "terminal/data", data: "a", offset: 0, endOffset: 1 }]);
  output.push(Buffer.concat([euro.subarray(2), Buffer.from("b")]));
  pushed();
  expect(published()).toEqual([{ type: "terminal/data", data: "€b", offset: 1, endOffset: 5 }]);
});

test("[U2] a reader that begins in the middle of a character gets it whole", () => {
  const { publisher, output, data, content, pushed } = newBench();
  const euro = Buffer.from("€");
  output.push(Buffer.concat([Buffer.from("a"), euro.subarray(0, 2)]));
  publisher.addReader({ maxLatencyMs: 0 });
  expect(content()).toEqual([{ kind: "output", text: "a" }]);
  output.push(euro.subarray(2));
  pushed();
  expect(data()).toBe("€");
});

test("[U2] a reader in a hurry gets each piece as it comes, others with the next batch", () => {
  const { publisher, output, published, pushed } = newBench();
  const hurried = { maxLatencyMs: 0 };
  publisher.addReader(hurried);
  for (const piece of ["a", "b", "c"]) {
    output.push(Buffer.from(piece));
    pushed();
    expect(published()).toMatchObject([{ data: piece }]);
  }
  publisher.removeReader(hurried);
  publisher.addReader({});
  output.push(Buffer.from("d"));
  pushed();
  output.push(Buffer.from("e"));
  pushed();
  expect(published().length).toBeLessThan(2);
});

test("[U3] commands, titles and directories are published in order with the data around them", () => {
  const { publisher, stream, published } = newBench();
  publisher.addReader({});
  stream.push(
    Buffer.concat([
      Buffer.from("$ "),
      mark("E;ls -l"),
      mark("C"),
      Buffer.from("one\n"),
      mark("D;0"),
      mark("P;Cwd=/tmp"),
      Buffer.from("\x1b]0;a title\x07$ "),
    ]),
  );
  publisher.flush();
  const commandId = expect.any(String) as string;
  expect(published()).toEqual([
    { type: "terminal/data", data: "$ ", offset: 0, endOffset: 2 },
    { type: "terminal/commandDetectionAvailable" },
    {
      type: "terminal/commandExecuted",
      commandId,
      commandLine: "ls -l",
      startedAt: new Date(0).toISOString(),
      offset: 2,
    },
    { type: "terminal/data", data: "one\n", offset: 2, endOffset: 6 },
    { type: "terminal/commandFinished", commandId, exitCode: 0, durationMs: 0, offset: 6 },
    { type: "terminal/cwdChanged", cwd: "file:///tmp" },
    { type: "terminal/data", data: "\x1b]0;a title", offset: 6, endOffset: 17 },
    { type: "terminal/titleChanged", title: "a title", source: "program" },
    { type: "terminal/data", data: "\x07$ ", offset: 17, endOffset: 20 },
  ]);
  stream.close();
});

test("[U3] a flood of titles costs a few actions, and the last one is published", async () => {
  const { stream, hub, published } = newBench();
  for (let count = 0; count < 10_000; count += 1) stream.push(Buffer.from(`\x1b]0;at ${count}\x07`));
  await expect.poll(() => hub.state(uri, "terminal")?.title).toBe("at 9999");
  expect(published().length).toBeLessThan(200);
  stream.close();
});

test("[U4] a reader that comes back in time has missed nothing; output that came while nobody read is noticed", () => {
  const quick = newBench({ lingerMs: 60_000 });
  const reader = {};
  quick.publisher.addReader(reader);
  quick.output.push(Buffer.from("a"));
  const seen = quick.hub.lastSeq;
  quick.publisher.removeReader(reader);
  quick.output.push(Buffer.from("b".repeat(70_000)));
  quick.publisher.addReader(reader);
  expect(quick.publisher.completeSince).toBeLessThanOrEqual(seen);
  expect(quick.data()).toBe(`a${"b".repeat(70_000)}`);
  quick.publisher.close();

  const slow = newBench({ lingerMs: 0 });
  slow.publisher.addReader(reader);
  slow.output.push(Buffer.from("a"));
  const last = slow.hub.lastSeq;
  slow.publisher.removeReader(reader);
  slow.publisher.addReader(reader);
  expect(slow.publisher.completeSince).toBeLessThanOrEqual(last);
  slow.publisher.removeReader(reader);
  slow.output.push(Buffer.from("b"));
  slow.publisher.addReader({});
  expect(slow.publisher.completeSince).toBeGreaterThan(last);
});

type Happening =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "marks"; readonly bodies: readonly string[] }
  | { readonly kind: "clear" }
  | { readonly kind: "join" };

const happenings: fc.Arbitrary<Happening[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.uint8Array({ maxLength: 6 }).map((bytes) => ({ kind: "bytes" as const, bytes })),
    },
    {
      weight: 4,
      arbitrary: fc
        .string({ unit: "grapheme", maxLength: 4 })
        .map((text) => ({ kind: "bytes" as const, bytes: Buffer.from(text) })),
    },
    {
      weight: 4,
      arbitrary: fc
        // A shell shows a prompt, and reports the line before its command begins.
        .constantFrom(["A"], ["B"], ["A", "E;ls", "C"], ["D;0"], ["D"], ["D;1"], ["P;Cwd=/tmp"])
        .map((bodies) => ({ kind: "marks" as const, bodies })),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "clear" as const }) },
    { weight: 2, arbitrary: fc.constant({ kind: "join" as const }) },
  ),
  { maxLength: 60 },
);

function bytesOf(step: Happening): Uint8Array {
  if (step.kind === "marks") return Buffer.concat(step.bodies.map(mark));
  return step.kind === "bytes" ? step.bytes : new Uint8Array();
}

test("[U5] the content is what reducing all actions from the beginning gives, whenever somebody joins", () => {
  fc.assert(
    fc.property(happenings, fc.integer({ min: 1, max: 7 }), fc.boolean(), (steps, pieceBytes, isRead) => {
      const bench = newBench();
      if (isRead) bench.publisher.addReader({});
      let mirrored: readonly TerminalPart[] = [];
      const joined: { parts: readonly TerminalPart[] }[] = [];
      const reduce = (): void => {
        for (const action of bench.published()) {
          mirrored = showAction(mirrored, action);
          for (const viewer of joined) viewer.parts = showAction(viewer.parts, action);
        }
      };
      for (const step of steps) {
        const bytes = bytesOf(step);
        for (let at = 0; at < bytes.length; at += pieceBytes) {
          bench.stream.push(bytes.subarray(at, at + pieceBytes));
        }
        if (step.kind === "clear") {
          const offset = bench.publisher.wholeOffset;
          if (bench.publisher.dispatch({ type: "terminal/cleared", offset }) !== undefined) {
            bench.stream.commands.clear(offset);
          }
        }
        if (step.kind !== "join") continue;
        bench.publisher.addReader({});
        reduce();
        joined.push({ parts: bench.content() });
      }
      bench.publisher.flush();
      bench.stream.exited();
      bench.output.ended();
      bench.publisher.divide();
      reduce();
      const content = bench.content();
      if (isRead) expect(mirrored).toEqual(content);
      for (const { parts } of joined) expect(parts).toEqual(content);
      bench.stream.close();
    }),
    { numRuns: 500 },
  );
});
