// What every command is made from: its options, its context, and the way in which it ends.
import process from "node:process";
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import { Console } from "../console.ts";
import type { HostLink } from "../link/host-link.ts";

export interface CommandContext {
  readonly console: Console;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder that the command was given in. */
  readonly cwd: string;
  /** `--home`, if it was given. */
  readonly home: string | undefined;
  /** The file of this very program. */
  readonly programPath: string;
  /** The host; started first when none runs, unless that is not wanted. It is closed when the command ends. */
  readonly host: (options?: HostUse) => Promise<HostLink>;
}

export interface HostUse {
  readonly mayStart?: boolean;
  /** Whether a host may be started in a home that was named and does not exist; not by a command that only reads (C876). */
  readonly mayMakeHome?: boolean;
}

/** Action of a command; it returns the exit code, or nothing for 0. */
export type Work<Words extends unknown[]> = (
  context: CommandContext,
  ...words: Words
) => Promise<number | undefined | void>;

/** Turns work into what commander calls: with the arguments, then the options, then, unsaid here, the command itself. */
export type Runner = <Words extends unknown[]>(work: Work<Words>) => (...words: Words) => Promise<void>;

export type AddCommand = (program: Command, run: Runner) => void;

interface HostOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly home?: string;
}

export function hostCommand(program: Command, usage: string, description: string): Command {
  return localCommand(program, usage, description).option(
    "--url <address>",
    "a host elsewhere; its token comes from $HOLDFAST_TOKEN (default: $HOLDFAST_URL)",
  );
}

export function localCommand(program: Command, usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .option("--json", "results as JSON on stdout, failures as JSON on stderr")
    .option(
      "--home <folder>",
      "where everything is kept (default: $HOLDFAST_HOME, else the state directory)",
    );
}

/** Runs commands in this process; `onEnd` gets the exit code of each. */
export function createRunner(programPath: string, onEnd: (exitCode: number) => void): Runner {
  return (work) =>
    async (...words) => {
      const command = words.at(-1) as Command;
      const { json = false, url, home } = command.optsWithGlobals<HostOptions>();
      const { env: environment, stdin, stdout, stderr } = process;
      const console = new Console({ streams: { stdin, stdout, stderr }, environment, json });
      let link: HostLink | undefined;
      const context: CommandContext = {
        console,
        environment,
        cwd: process.cwd(),
        home,
        programPath,
        async host({ mayStart = true, mayMakeHome = true } = {}) {
          const search = { choice: { url, home }, environment, console, mayStart, mayMakeHome, programPath };
          // Only now: serving, and commands without a host, need none of it. The program's files may be replaced while a
          // command runs, so the code that reports its failure is loaded with the rest.
          const [{ findHost, isOwnHost, reviveHost }, { HostLink: Link }] = await Promise.all([
            import("../link/find-host.ts"),
            import("../link/host-link.ts"),
            import("../failure.ts"),
          ]);
          const note = (line: string): void => console.warn(line);
          const recovery = isOwnHost(search) ? { revive: () => reviveHost(search), note } : undefined;
          link ??= new Link(await findHost(search), recovery);
          return link;
        },
      };
      try {
        const exitCode = await work(context, ...words);
        onEnd(exitCode ?? 0);
      } finally {
        link?.close();
      }
    };
}

export function wholeNumber(smallest: number, largest: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= smallest && number <= largest) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${smallest} to ${largest}.`);
  };
}
