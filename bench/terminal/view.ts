// Benchmark of view/ alone: appending, polling, folding. Progress on stderr, one JSON object on stdout.
//   node --import tsx --conditions=@holdfast/source bench/terminal/view.ts
import { TerminalOutput } from "@holdfast/terminal/view";

const MIB = 1024 * 1024;
const ROUNDS = 7;

const LINE_80 = `${"The quick brown fox jumps over the lazy dog while the agent waits for output.".padEnd(80, ".")}\r\n`;
const ANSI_LINE =
  "\x1b[32minfo\x1b[0m \x1b[1;34mserver\x1b[0m: compiled \x1b[33m42\x1b[0m files in \x1b[36m1.2s\x1b[0m\r\n";
const REDRAW_LINE = "\r\x1b[2K\x1b[32m[####      ]\x1b[0m 42% fetching packages\x1b[1A\x1b[1B";

/** Repeats a line until it fills the size. */
function fill(line: string, sizeBytes: number): Buffer {
  return Buffer.alloc(sizeBytes, line);
}

/** The median over the rounds of what one round measures. */
function median(measure: () => number): number {
  const values = Array.from({ length: ROUNDS }, measure).toSorted((a, b) => a - b);
  return values[Math.floor(ROUNDS / 2)]!;
}

/** Megabytes per second at which `source` is pushed in chunks, `repeats` times over, and answered once. */
function pushRate(
  options: ConstructorParameters<typeof TerminalOutput>[0],
  source: Buffer,
  chunkBytes: number,
  repeats: number,
): number {
  return median(() => {
    const output = new TerminalOutput(options);
    const startMs = performance.now();
    for (let round = 0; round < repeats; round++) {
      for (let at = 0; at < source.length; at += chunkBytes) {
        output.push(source, at, Math.min(source.length, at + chunkBytes));
      }
    }
    if (options.kind === "tty") output.tail();
    const elapsedMs = performance.now() - startMs;
    output.close();
    return (source.length * repeats) / 1000 / elapsedMs;
  });
}

function appendGBPerSecond(chunkBytes: number): number {
  const source = fill(LINE_80, MIB);
  const options = { kind: "text", textLimitBytes: MIB, replayBytes: MIB } as const;
  return pushRate(options, source, chunkBytes, 2000) / 1000;
}

function foldMBPerSecond(line: string): number {
  const source = fill(line, 4 * MIB);
  const options = { kind: "tty", textLimitBytes: MIB, replayBytes: MIB } as const;
  return pushRate(options, source, 4096, 8);
}

/** Percent of a core that 20 polls a second of 10 MiB cost while 1 MB/s comes in. */
function pollCorePercent(): number {
  const limitBytes = 10 * MIB;
  const output = new TerminalOutput({ kind: "text", textLimitBytes: limitBytes, replayBytes: 0 });
  const source = fill(LINE_80, limitBytes);
  output.push(source);
  output.tailJson();
  const bytesPerPoll = 50_000;
  const polls = 200;
  return median(() => {
    let busyMs = 0;
    for (let poll = 0; poll < polls; poll++) {
      output.push(source, 0, bytesPerPoll);
      const startMs = performance.now();
      output.tailJson();
      busyMs += performance.now() - startMs;
    }
    return (busyMs / (polls * 50)) * 100;
  });
}

const measurements = {
  append4KiBGBs: () => appendGBPerSecond(4 * 1024),
  append64KiBGBs: () => appendGBPerSecond(64 * 1024),
  pollCorePercent,
  foldLine80MBs: () => foldMBPerSecond(LINE_80),
  foldYesMBs: () => foldMBPerSecond("y\r\n"),
  foldAnsiMBs: () => foldMBPerSecond(ANSI_LINE),
  foldUtf8MBs: () => foldMBPerSecond("Größe der Datei: 漢字とかな交じり文 — «déjà vu», привет мир\r\n"),
  foldRedrawMBs: () => foldMBPerSecond(REDRAW_LINE),
};

const results: Record<string, number> = {};
for (const [name, measure] of Object.entries(measurements)) {
  results[name] = Number(measure().toFixed(2));
  console.error(`${name}: ${results[name]}`);
}
console.log(JSON.stringify(results));
