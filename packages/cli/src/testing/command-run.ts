// Runs commands inside the test's own process against a real host: a process for each would take most of the time.
import { AsyncLocalStorage } from "node:async_hooks";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { createRunner } from "../command/command.ts";
import { runCommand } from "../commands.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { failureLine, failureOf } from "../failure.ts";

/** Output and exit code of a command. */
export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Output<Fd> = NodeJS.WriteStream & { fd: Fd };

interface Outputs {
  readonly stdout: Output<1>;
  readonly stderr: Output<2>;
}

/** The runs under way, and which of them code belongs to: several may run at once. */
const running = new Set<Outputs>();
const current = new AsyncLocalStorage<Outputs>();

let restore = (): void => {};

/** Where the running command writes. A listener of a shared connection may belong to an earlier run, or to none. */
function currentOutputs(): Outputs | undefined {
  const [only, another] = running;
  if (another === undefined) return only;
  return current.getStore();
}

/** Replaces the streams of the process by those of the running commands, until the last of them has ended. */
function redirect(outputs: Outputs): () => void {
  if (running.size === 0) {
    const { stdout, stderr } = process;
    const spies = [
      vi.spyOn(process, "stdout", "get").mockImplementation(() => currentOutputs()?.stdout ?? stdout),
      vi.spyOn(process, "stderr", "get").mockImplementation(() => currentOutputs()?.stderr ?? stderr),
    ];
    restore = () => {
      for (const spy of spies) spy.mockRestore();
    };
  }
  running.add(outputs);
  return () => {
    running.delete(outputs);
    if (running.size === 0) restore();
  };
}

/** Runs the program's words with what surrounds them; a failure is reported as with `--json`. */
export async function runWords(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandRun> {
  const stdout = collect(1);
  const stderr = collect(2);
  let code: number = EXIT_CODES.done;
  const outputs = { stdout: stdout.stream, stderr: stderr.stream };
  const release = redirect(outputs);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    const programPath = fileURLToPath(new URL("../main.ts", import.meta.url));
    const runner = createRunner(programPath, (ended) => (code = ended));
    const request = await current.run(outputs, () => runCommand(words, runner));
    if (request.kind === "help") stdout.stream.write(request.text);
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    stderr.stream.write(failureLine(failure));
    code = failure.exitCode;
  } finally {
    release();
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
