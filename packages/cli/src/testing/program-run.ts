// Runs a program of this package as a process from source, for tests.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** As an address, because what the program starts in other folders must find it too. */
const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

/** How to run it. */
export interface ProgramRunOptions {
  /** A file of this package's source. */
  readonly program?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process and what it has written. */
export class ProgramRun {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #onOutput = new Set<() => void>();

  constructor(
    words: readonly string[],
    { program = "testing/serve-program.ts", environment }: ProgramRunOptions = {},
  ) {
    const flags = ["--import", loader, "--conditions=@holdfast/source"];
    this.child = spawn(process.execPath, [...flags, `src/${program}`, ...words], {
      cwd: packageFolder,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      for (const listener of this.#onOutput) listener();
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      for (const listener of this.#onOutput) listener();
    });
    this.#ended = once(this.child, "close").then(([code, signal]) => {
      for (const listener of this.#onOutput) listener();
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  /** Waits until the output has grown to something that `find` can use. */
  async until<Found>(find: (run: this) => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = find(this);
        if (found !== undefined) resolve(found);
        else if (this.child.exitCode === null) return;
        else reject(new Error(`it ended first:\n${this.stdout}${this.stderr}`));
        this.#onOutput.delete(look);
      };
      this.#onOutput.add(look);
      look();
    });
  }

  /** The ready line, once it is there. */
  async ready(): Promise<{ event: string; url: string; ahpUrl: string; token: string }> {
    return this.until(({ stdout }) =>
      stdout.endsWith("\n")
        ? (JSON.parse(stdout) as { event: string; url: string; ahpUrl: string; token: string })
        : undefined,
    );
  }

  /** The end of the process, with everything it wrote. */
  async end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#ended;
  }

  /** Sends a signal and waits for the end. */
  async stop(
    signal: NodeJS.Signals = "SIGTERM",
  ): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.child.kill(signal);
    return this.end();
  }
}
