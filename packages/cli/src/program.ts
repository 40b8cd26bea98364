// Life of the program: runs a command or serves, reports failures, ends with the right code (C11, C14).
import process from "node:process";
import { createRunner } from "./command/command.ts";
import { runCommand } from "./commands.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { StartHost } from "./serve/serve.ts";
import type { WatchdogTimes } from "./serve/watchdog.ts";
import { safeLines } from "./safe-text.ts";
import { watchOutput } from "./stdout.ts";

export interface ProgramParts {
  /** The file of the program. */
  readonly programPath: string;
  /** Brings in what starts a host: much code, which no other command needs. */
  readonly loadHost: () => Promise<StartHost>;
  /** When the host's watchdog acts, in tests. */
  readonly watchdogTimes?: WatchdogTimes;
}

/** Runs the program in this process, and ends the process when there is nothing more to do. */
export async function runProgram({ programPath, loadHost, watchdogTimes }: ProgramParts): Promise<void> {
  const words = process.argv.slice(2);
  const wantsJson = words.slice(0, indexOr(words, "--")).includes("--json");
  const outputFailure = watchOutput();
  // Of work beside the command's own, such as the output of an agent's command that is shown as it comes.
  const onUnhandled = (reason: unknown): void => void endBy(reason, wantsJson);
  process.once("unhandledRejection", onUnhandled);
  let exitCode: number = EXIT_CODES.done;
  try {
    const request = await runCommand(
      words,
      createRunner(programPath, (code) => (exitCode = code)),
    );
    if (request.kind === "serve") {
      process.off("unhandledRejection", onUnhandled);
      const { serveUntilStopped } = await import("./serve/serve-program.ts");
      return await serveUntilStopped(request.options, await loadHost(), watchdogTimes);
    }
    if (request.kind === "help") await print(request.text);
    // Of a write that no command waited for.
    const failure = outputFailure();
    if (failure !== undefined) throw failure;
  } catch (error) {
    exitCode = await reportFailure(error, wantsJson);
  }
  // Not by running out of work: a stream that somebody still reads from would keep the program waiting.
  process.exit(exitCode);
}

async function endBy(reason: unknown, wantsJson: boolean): Promise<never> {
  process.exit(await reportFailure(reason, wantsJson));
}

async function reportFailure(error: unknown, wantsJson: boolean): Promise<number> {
  const { describeFailure, failureLine, failureOf } = await import("./failure.ts");
  const failure = failureOf(error);
  if (failure === undefined) {
    process.stderr.write(`holdfast: internal error\n${safeLines(describeFault(error))}\n`);
    return EXIT_CODES.fault;
  }
  process.stderr.write(wantsJson ? failureLine(failure) : describeFailure(failure));
  return failure.exitCode;
}

function describeFault(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function indexOr(words: readonly string[], word: string): number {
  const index = words.indexOf(word);
  return index === -1 ? words.length : index;
}

function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    // After the event of a failed write.
    process.stdout.write(text, () => setImmediate(resolve));
  });
}
