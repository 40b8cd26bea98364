// Runs the program, or one of the programs for tests, as a process.
import { readFileSync } from "node:fs";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { programFile, testProgramFile } from "./program-file.ts";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** How to run it. */
export interface ProgramRunOptions {
  /** The program itself, or one of the programs beside this file. */
  readonly program?: "main" | "serve-program" | "lock-program" | "find-host-program";
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process and what it has written. */
export class ProgramRun {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  readonly #ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #onOutput = new Set<() => void>();

  constructor(words: readonly string[], { program = "serve-program", environment }: ProgramRunOptions = {}) {
    const file = program === "main" ? programFile : testProgramFile(program);
    this.child = spawn(process.execPath, [file, ...words], {
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
  async ready(): Promise<{ event: string; url: string; ahpUrl: string; tokenFile: string; token: string }> {
    const line = await this.until(({ stdout }) =>
      stdout.endsWith("\n")
        ? (JSON.parse(stdout) as { event: string; url: string; ahpUrl: string; tokenFile: string })
        : undefined,
    );
    return { ...line, token: readFileSync(line.tokenFile, "utf8").trim() };
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
