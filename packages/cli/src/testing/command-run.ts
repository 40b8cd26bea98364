// Runs commands inside the test's own process against a real host: a process for each would take most of the time.
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { createRunner } from "../command/command.ts";
import { runCommand } from "../commands.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { failureLine, failureOf } from "../failure.ts";

/** What a command wrote and how it ended. */
export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Output<Fd> = NodeJS.WriteStream & { fd: Fd };

/** Runs the program's words with what surrounds them; a failure is told as with `--json`. */
export async function runWords(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const stdout = collect(1);
  const stderr = collect(2);
  let code: number = EXIT_CODES.done;
  vi.spyOn(process, "stdout", "get").mockReturnValue(stdout.stream);
  vi.spyOn(process, "stderr", "get").mockReturnValue(stderr.stream);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    const programPath = fileURLToPath(new URL("../main.ts", import.meta.url));
    const request = await runCommand(
      words,
      createRunner(programPath, (ended) => (code = ended)),
    );
    if (request.kind === "help") stdout.stream.write(request.text);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    stderr.stream.write(failureLine(failure));
    code = failure.exitCode;
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collect<Fd extends 1 | 2>(fd: Fd): { readonly stream: Output<Fd>; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  // The program only writes, and looks whether it is a terminal, which a pipe says of itself by saying nothing.
  const output = Object.assign(stream, { fd }) as Output<Fd>;
  return { stream: output, text: () => Buffer.concat(chunks).toString("utf8") };
}
