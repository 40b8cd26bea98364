// What commands write: the same files, by the same programs, for every reader.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A command that writes as fast as it is read. */
export interface Workload {
  readonly name: string;
  /** Source of the reader: a pseudo-terminal or a pipe. */
  readonly channel: "pty" | "pipe";
  readonly file: string;
  readonly args: readonly string[];
  /** Bytes that a lossless reader gets; a terminal makes two bytes of a line feed. */
  readonly expectedBytes: number;
}

/** The workloads and the folder of their files. */
export interface Workloads {
  /** A small one for each channel, for code that has not run yet. */
  readonly warmUps: readonly Workload[];
  readonly measured: readonly Workload[];
  /** 16 MB of 80-column text, for measurements that need a separate source. */
  readonly textFile: string;
  readonly folder: string;
  remove(): void;
}

const megabyte = 1_000_000;
const lineFeed = 0x0a;

const line80 = `${"The quick brown fox jumps over the lazy dog while the agent waits for output".padEnd(79, ".")}\n`;
const ansiLines = [
  "\x1b[32m  ✓\x1b[0m \x1b[2mpackages/terminal\x1b[0m reads to the last byte \x1b[33m12\x1b[2mms\x1b[0m\n",
  "\x1b[1;34minfo\x1b[0m  compiled \x1b[36m412\x1b[0m modules in \x1b[36m1.2s\x1b[0m, \x1b[38;5;208m3 warnings\x1b[0m\n",
  "\x1b[31;1merror\x1b[0m \x1b[4msrc/main.ts\x1b[0m:\x1b[33m10\x1b[0m:\x1b[33m5\x1b[0m \x1b[38;2;120;120;120mTS2322\x1b[0m\x1b[K\n",
].join("");

/** Makes the files in memory where that is possible, so that no disk is measured. */
export function makeWorkloads({ short }: { readonly short: boolean }): Workloads {
  const folder = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-bench-"));
  const make = (name: string, text: string, sizeBytes: number): string => {
    const file = path.join(folder, name);
    writeFileSync(file, Buffer.alloc(sizeBytes, text));
    return file;
  };
  const scale = short ? 0.25 : 1;
  const pty = (name: string, text: string, sizeBytes: number): Workload => {
    const lineFeeds = countLineFeeds(text, sizeBytes);
    const expectedBytes = sizeBytes + lineFeeds;
    return { name, channel: "pty", file: "cat", args: [make(name, text, sizeBytes)], expectedBytes };
  };
  const textFile = make("text", line80, 16 * megabyte);
  const pipe = (name: string, repeats: number): Workload => ({
    name,
    channel: "pipe",
    file: "sh",
    args: [
      "-c",
      `n=${repeats}; while [ $n -gt 0 ]; do dd if="$0" bs=64k status=none; n=$((n-1)); done`,
      largeFile,
    ],
    expectedBytes: 64 * megabyte * repeats,
  });
  const largeFile = make("pipe-text", line80, 64 * megabyte);
  return {
    warmUps: [pty("pty-warm-up", ansiLines, 2 * megabyte), pipe("pipe-warm-up", 1)],
    measured: [
      pty("ptyText", line80, 32 * megabyte * scale),
      pty("ptyYes", "y\n", 4 * megabyte * scale),
      pty("ptyAnsi", ansiLines, 32 * megabyte * scale),
      pipe("pipeText", short ? 2 : 8),
    ],
    textFile,
    folder,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** How many line feeds a file has that repeats a text up to a size. */
function countLineFeeds(text: string, sizeBytes: number): number {
  const count = (bytes: Buffer): number => bytes.filter((byte) => byte === lineFeed).length;
  const pattern = Buffer.from(text);
  const repeats = Math.floor(sizeBytes / pattern.length);
  return repeats * count(pattern) + count(pattern.subarray(0, sizeBytes - repeats * pattern.length));
}
