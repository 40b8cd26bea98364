// Starts a run and writes down all that is heard of it.
import type { ChildRun, RunExit, RunRequest, RunStream, Spawner } from "../process/index.ts";

/** One run and its record. */
export interface RecordedRun {
  readonly run: ChildRun;
  /** Events in order: stream names, `exit`, `end`. */
  readonly events: string[];
  /** Everything read from a stream so far. */
  text(stream?: RunStream): string;
  bytes(stream?: RunStream): Buffer;
  /** True if each chunk began where the one before it ended. */
  offsetsFit(): boolean;
  exit(): Promise<RunExit>;
  /** Resolves when a stream's text matches. */
  seen(pattern: RegExp, stream?: RunStream): Promise<void>;
  /** Resolves when no more bytes will come. */
  readonly ended: Promise<void>;
}

/** A request with the defaults of these tests: text, in /tmp, with the test's own environment. */
export async function recordRun(
  spawner: Spawner,
  request: Partial<RunRequest> & { command: string },
): Promise<RecordedRun> {
  const chunks: { stream: RunStream; bytes: Buffer; offset: number }[] = [];
  const events: string[] = [];
  const waiting: { pattern: RegExp; stream: RunStream; resolve: () => void }[] = [];
  let resolveEnded = (): void => {};
  const ended = new Promise<void>((resolve) => {
    resolveEnded = resolve;
  });
  const bytes = (stream: RunStream = "output"): Buffer =>
    Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map((chunk) => chunk.bytes));
  const text = (stream?: RunStream): string => bytes(stream).toString("utf8");
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  const run = await spawner.start(
    { kind: "text", cwd: "/tmp", env, ...request },
    {
      bytes: (stream, read, offset) => {
        chunks.push({ stream, bytes: Buffer.from(read), offset });
        if (events.at(-1) !== stream) events.push(stream);
        for (const wait of waiting) if (wait.pattern.test(text(wait.stream))) wait.resolve();
      },
      exit: () => void events.push("exit"),
      end: () => {
        events.push("end");
        resolveEnded();
      },
    },
  );
  const offsetsFit = (): boolean =>
    (["output", "error"] as const).every((stream) => {
      let next = 0;
      return chunks
        .filter((chunk) => chunk.stream === stream)
        .every((chunk) => {
          const fits = chunk.offset === next;
          next += chunk.bytes.length;
          return fits;
        });
    });
  const seen = (pattern: RegExp, stream: RunStream = "output"): Promise<void> =>
    new Promise((resolve) => {
      if (pattern.test(text(stream))) resolve();
      else waiting.push({ pattern, stream, resolve });
    });
  return { run, events, text, bytes, offsetsFit, exit: () => run.exited, seen, ended };
}
