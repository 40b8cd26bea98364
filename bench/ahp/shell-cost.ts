// Cost of shell integration: the time from a line to the next prompt, compared with the same shell without it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Spawner, type Run } from "@holdfast/terminal/process";
import { prepareShell, removeShellFolder } from "@holdfast/terminal/shell-integration";
import { isInstalled } from "../terminal/installed.ts";
import { median } from "../terminal/statistics.ts";

/** Median time of a command in milliseconds. */
export interface ShellCost {
  readonly plainMs: number;
  readonly integratedMs: number;
  /** The median of the differences between two commands that were run one after the other. */
  readonly addedMs: number;
}

/** Ends each prompt, and stands nowhere else. */
const promptText = "~ready~";
const promptEnd = Buffer.from(promptText);
const warmUpCommands = 30;

/** Measures one kind of shell; undefined when it is not installed. */
export async function measureShellCost(
  shell: "bash" | "zsh",
  commands: number,
): Promise<ShellCost | undefined> {
  if (!isInstalled(shell)) return undefined;
  const home = mkdtempSync(path.join(tmpdir(), "bench-shell-"));
  writeFileSync(path.join(home, ".bashrc"), `PS1='${promptText}'\n`);
  writeFileSync(path.join(home, ".zshrc"), `PS1='${promptText}'\n`);
  const spawner = new Spawner();
  const shells = [
    await MeasuredShell.open(spawner, shell, { home, isIntegrated: false }),
    await MeasuredShell.open(spawner, shell, { home, isIntegrated: true }),
  ] as const;
  try {
    return await compare(shells, commands);
  } finally {
    for (const each of shells) await each.close();
    await spawner.close();
    rmSync(home, { recursive: true, force: true });
  }
}

async function compare(
  [plain, integrated]: readonly [MeasuredShell, MeasuredShell],
  commands: number,
): Promise<ShellCost> {
  const plainTimes: number[] = [];
  const integratedTimes: number[] = [];
  const differences: number[] = [];
  for (let count = -warmUpCommands; count < commands; count += 1) {
    // Who goes first changes, so that neither always finds the machine as the other left it.
    const isPlainFirst = count % 2 === 0;
    const first = await (isPlainFirst ? plain : integrated).runMs();
    const second = await (isPlainFirst ? integrated : plain).runMs();
    if (count < 0) continue;
    const [plainMs, integratedMs] = isPlainFirst ? [first, second] : [second, first];
    plainTimes.push(plainMs);
    integratedTimes.push(integratedMs);
    differences.push(integratedMs - plainMs);
  }
  return {
    plainMs: median(plainTimes),
    integratedMs: median(integratedTimes),
    addedMs: median(differences),
  };
}

/** A shell in a PTY that is given one line at a time. */
class MeasuredShell {
  readonly #close: () => Promise<void>;
  readonly #run: Run;
  readonly #prompts: PromptWatch;

  private constructor(run: Run, prompts: PromptWatch, close: () => Promise<void>) {
    this.#run = run;
    this.#prompts = prompts;
    this.#close = close;
  }

  static async open(
    spawner: Spawner,
    shell: string,
    { home, isIntegrated }: { readonly home: string; readonly isIntegrated: boolean },
  ): Promise<MeasuredShell> {
    const env = { HOME: home, PATH: process.env["PATH"] ?? "", TERM: "xterm-256color", LANG: "C.UTF-8" };
    const prepared = isIntegrated ? await prepareShell({ shell, env }) : undefined;
    const { command, args, env: shellEnv } = prepared ?? { command: shell, args: ["-i"], env };
    const prompts = new PromptWatch();
    const first = prompts.next();
    const run = await spawner.start(
      { kind: "tty", command, args, cwd: home, env: shellEnv },
      {
        bytes: (_stream, bytes) => prompts.push(bytes),
        exit: () => {},
        end: () => {},
      },
    );
    await first;
    return new MeasuredShell(run, prompts, async () => {
      await run.end(500);
      run.release();
      if (prepared !== undefined) await removeShellFolder(prepared);
    });
  }

  /** From a line to the next prompt. */
  async runMs(): Promise<number> {
    const prompt = this.#prompts.next();
    const startedMs = performance.now();
    this.#run.write(Buffer.from(":\r"));
    await prompt;
    return performance.now() - startedMs;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** Finds the ends of prompts in what a shell writes, wherever it is cut. */
class PromptWatch {
  #rest = Buffer.alloc(0);
  #found: () => void = () => {};

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#found = resolve;
    });
  }

  push(bytes: Uint8Array): void {
    const text = Buffer.concat([this.#rest, bytes]);
    const at = text.lastIndexOf(promptEnd);
    this.#rest = Buffer.from(text.subarray(at < 0 ? -promptEnd.length : at + promptEnd.length));
    if (at >= 0) this.#found();
  }
}
