// `holdfast exec -- command`: runs a command in a terminal of the host, which outlives this window.
import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { TerminalExit } from "@holdfast/ahp";
import { HoldfastError, type NewTerminal, type TerminalStatus } from "@holdfast/sdk";
import { type Command, InvalidArgumentError } from "commander";
import { shortName } from "../short-name.ts";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { failureOf } from "../failure.ts";
import type { HostLink } from "../link/host-link.ts";
import { attachTo } from "../terminal/attach-session.ts";
import { type CommandEnd, followCommand } from "../terminal/command-stream.ts";
import { DEFAULT_DETACH_KEYS, DetachKeys } from "../terminal/detach-keys.ts";
import { exitCodeOf, limitSentence, signalExitCode, unknownExitSentence } from "../terminal/terminal-exit.ts";
import { attachExitCode, endWords, trustOption } from "./attach.ts";
import { type GivenLimits, readLimit, toCommandLimits } from "./limit-option.ts";
import { type CommandContext, hostCommand, type Runner } from "./command.ts";
import { quote, safeText } from "../safe-text.ts";

interface ExecOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly name?: string;
  readonly limit?: GivenLimits;
  /** Absent: with a screen if there is one here. */
  readonly tty?: boolean;
  readonly input: boolean;
  readonly detach?: boolean;
  readonly detachKeys: string;
  readonly trustOutput?: boolean;
}

/** As in shells: the exit code of a writer whose pipe nobody reads. */
const unreadExitCode = signalExitCode("SIGPIPE");
/** As shells say that there is no such program, and that it cannot be executed. */
const notFoundExitCode = 127;
const notExecutableExitCode = 126;

export function addExec(program: Command, run: Runner): void {
  hostCommand(program, "exec <command...>", "run a command in a terminal of the host and exit with its code")
    .usage("[options] command [arguments...]")
    // Options after the command are the command's, as with ssh, env and docker.
    .passThroughOptions()
    .option("--cwd <folder>", "where it runs (default: this folder)")
    .option("-e, --env <name=value>", "environment variable; may be repeated", readVariable)
    .option("--name <name>", "name in lists")
    .option("--limit <name=value>", "limit such as memory=512M or time=5m; may be repeated", readLimit)
    .option("-t, --tty", "run it in a pseudo-terminal (default: if stdin and stdout are terminals)")
    .option("-T, --no-tty", "run it on pipes, with stdout and stderr separate")
    .option("-d, --detach", "print its id and leave it running")
    .option("--no-input", "do not forward stdin")
    .option("--detach-keys <keys>", "keys that detach, such as ctrl-p,ctrl-q", DEFAULT_DETACH_KEYS)
    .addOption(trustOption())
    .addHelpText(
      "after",
      "\nThe command runs in the host's environment, not in that of this shell; --env passes variables," +
        '\nsuch as --env PATH="$PATH" for programs that only this shell finds.' +
        "\nThe command keeps running when this program exits; `holdfast attach` returns to it." +
        "\nThe exit code is the command's: 128 plus the signal number if a signal ended it, 127 if there is no such" +
        "\nprogram, 126 if it cannot be executed, and 125 if the host could not run or follow it.",
    )
    .action(run((context, words: string[], options: ExecOptions) => exec(context, words, options)));
}

async function exec(
  context: CommandContext,
  words: readonly string[],
  options: ExecOptions,
): Promise<number> {
  const { console, host } = context;
  const { stdin, stdout } = console.streams;
  const keys = new DetachKeys(options.detachKeys);
  const hasTerminal = stdin.isTTY && stdout.isTTY;
  const isTty = options.tty ?? (hasTerminal && !console.json);
  const link = await host();
  const terminal = await create(link, newTerminal(words, options, isTty, link, context), context);
  const { id } = terminal;
  if (options.detach === true) {
    await (console.json ? console.printJson(terminal) : console.print(id));
    return EXIT_CODES.done;
  }
  const trustsOutput = options.trustOutput === true;
  if (isTty && stdout.isTTY && !console.json) return showCommand(context, link, id, { keys, trustsOutput });
  if (console.json) await console.printJson({ type: "started", data: terminal });
  return streamCommand(context, link, id, { hasInput: options.input && !isTty, trustsOutput });
}

function newTerminal(
  [command = "", ...args]: readonly string[],
  { cwd, env = {}, name, limit, input, detach = false }: ExecOptions,
  isTty: boolean,
  { place }: HostLink,
  { cwd: here, console }: CommandContext,
): NewTerminal {
  const { columns: cols, rows } = console.streams.stdout;
  const folder = cwd === undefined && !isOfThisMachine(place.url) ? undefined : path.resolve(here, cwd ?? "");
  return {
    command,
    args,
    env,
    ...(folder !== undefined && { cwd: folder }),
    ...(name !== undefined && { name }),
    ...(limit !== undefined && { limits: toCommandLimits(limit) }),
    ...(isTty
      ? { kind: "tty", ...(cols > 0 && rows > 0 && { cols, rows }) }
      : { kind: "text", input: input && !detach, separateError: !detach, paced: !detach }),
  };
}

/** A folder of this machine means nothing on another. */
function isOfThisMachine(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

async function create(
  { api, place }: HostLink,
  terminal: NewTerminal,
  { environment }: CommandContext,
): Promise<TerminalStatus> {
  try {
    return await api.terminals.create(terminal);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    const { code } = error;
    const isMissing = code === "COMMAND_NOT_FOUND" && isOfThisMachine(place.url);
    const here = isMissing ? findProgram(terminal.command, environment["PATH"]) : undefined;
    const { message, remedy } =
      here === undefined
        ? { message: error.message, remedy: failureOf(error)?.remedy }
        : onlyHere(terminal, here);
    throw new CommandError(code, message, { exitCode: notRunExitCode(code), remedy, cause: error });
  }
}

/** A program in the folders of a PATH; a command with a slash is looked for in none. */
function findProgram(command: string, searched: string | undefined): string | undefined {
  if (command.includes("/")) return undefined;
  const folders = (searched ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, command)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // It is not there, or not for this user.
    return false;
  }
}

/** The host has the PATH of the login shell, not the one of this shell (C868). */
function onlyHere({ command }: NewTerminal, file: string): { message: string; remedy: string } {
  const [name, shown] = [safeText(command), safeText(file)];
  return {
    message: `The host's PATH has no ${name}; the PATH of this shell has it in ${path.dirname(shown)}.`,
    remedy: `Use ${quote(shown)}, or pass this PATH on: holdfast exec --env PATH="$PATH" ${quote(name)}`,
  };
}

function notRunExitCode(code: string): number {
  if (code === "COMMAND_NOT_FOUND") return notFoundExitCode;
  return code === "COMMAND_NOT_EXECUTABLE" ? notExecutableExitCode : EXIT_CODES.notRun;
}

/** The command in this window, as if it ran here. */
async function showCommand(
  { console }: CommandContext,
  link: HostLink,
  id: string,
  options: { readonly keys: DetachKeys; readonly trustsOutput: boolean },
): Promise<number> {
  const { streams } = console;
  const end = await attachTo({ link, id, streams, isReadOnly: false, isOwnCommand: true, ...options });
  const name = shortName(id);
  if (end.kind !== "exited") console.note(`${endWords(end, name)} ${wayBack(name)}`);
  else warnOfEnd(console, end.exit);
  return end.kind === "gone" ? EXIT_CODES.notRun : attachExitCode(end);
}

/** The command's bytes on this program's own pipes. */
async function streamCommand(
  { console }: CommandContext,
  { api }: HostLink,
  id: string,
  options: { readonly hasInput: boolean; readonly trustsOutput: boolean },
): Promise<number> {
  const name = shortName(id);
  let end: CommandEnd;
  try {
    end = await followCommand(api, id, console, options);
  } catch (cause) {
    if (!(cause instanceof HoldfastError)) throw cause;
    throw new CommandError(cause.code, `${cause.message} The command may still run.`, {
      exitCode: EXIT_CODES.notRun,
      remedy: wayBack(name),
      cause,
    });
  }
  if (end.kind === "unread") return unreadExitCode;
  if (end.kind === "unwritable") throw end.reason;
  if (end.kind === "left") {
    console.note(`[left ${name} running] ${wayBack(name)}`);
    return signalExitCode(end.signal);
  }
  warnOfEnd(console, end.exit);
  if (end.skippedBytes === 0) return exitCodeOf(end.exit);
  console.warn(`${end.skippedBytes} bytes of its output were lost in transit.`);
  return EXIT_CODES.notRun;
}

/** Warns of an end that the exit code does not explain. */
function warnOfEnd(console: CommandContext["console"], exit: TerminalExit): void {
  const sentence = exit.kind === "unknown" ? unknownExitSentence(exit) : limitSentence(exit);
  if (sentence !== undefined) console.warn(safeText(sentence));
}

function wayBack(name: string): string {
  return `\`holdfast attach ${name}\` shows it again.`;
}

function readVariable(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const index = text.indexOf("=");
  if (index < 1) throw new InvalidArgumentError("A variable looks like NAME=value.");
  return { ...before, [text.slice(0, index)]: text.slice(index + 1) };
}
