// A keeper that also writes down the first words of whatever it starts: of a program that speaks no ACP they say most.
import type {
  EnvironmentRequest,
  Keeper,
  KeeperExit,
  KeeperRun,
  KeeperRunRequest,
  KeeperSink,
  RunStream,
} from "@holdfast/keeper/port";

/** What is kept of each stream. */
const maxBytes = 64 * 1024;

/** Passes everything on, and remembers. */
export class OverhearingKeeper implements Keeper {
  readonly #keeper: Keeper;
  readonly #heard: Record<RunStream, Buffer[]> = { output: [], error: [] };
  #exit: KeeperExit | undefined;

  constructor(keeper: Keeper) {
    this.#keeper = keeper;
  }

  /** How the last run ended by itself or was ended; undefined while it runs. */
  get exit(): KeeperExit | undefined {
    return this.#exit;
  }

  /** The first lines of a stream. */
  lines(stream: RunStream): string[] {
    const text = Buffer.concat(this.#heard[stream]).toString("utf8");
    return text
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "");
  }

  start(request: KeeperRunRequest, sink: KeeperSink): Promise<KeeperRun> {
    let heardBytes = 0;
    return this.#keeper.start(request, {
      bytes: (stream, bytes, offset) => {
        if (heardBytes < maxBytes) {
          this.#heard[stream].push(Buffer.from(bytes.subarray(0, maxBytes - heardBytes)));
        }
        heardBytes += bytes.length;
        sink.bytes(stream, bytes, offset);
      },
      exit: (exit) => {
        this.#exit = exit;
        sink.exit(exit);
      },
      end: () => sink.end(),
    });
  }

  buildEnvironment(request: EnvironmentRequest): Promise<Record<string, string>> {
    return this.#keeper.buildEnvironment(request);
  }

  close(graceMs?: number): Promise<void> {
    return this.#keeper.close(graceMs);
  }
}
