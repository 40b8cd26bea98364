// Says in words why a trial of an agent came to nothing, and what mends it.
import type { AgentEntry } from "@holdfast/core";
import { ConnectionError, RpcError } from "@holdfast/jsonrpc";
import type { KeeperExit } from "@holdfast/keeper/port";
import { quote } from "../shell-word.ts";
import { installAgent, signInCure } from "./agent-setup.ts";

/** What is wrong, by a word that a program can switch on. */
export interface TrialProblem {
  readonly code:
    | "not-installed"
    | "not-started"
    | "ended"
    | "speaks-no-acp"
    | "silent"
    | "refused"
    | "sign-in-needed";
  readonly message: string;
  readonly remedy?: string | undefined;
  readonly command?: string | undefined;
}

/** What was seen of the trial when it failed. */
export interface FailedTrial {
  readonly entry: AgentEntry;
  readonly error: unknown;
  readonly timeoutMs: number;
  readonly isInstalled: boolean;
  /** Whether a sign-in was found, or none is needed. */
  readonly isSignedIn: boolean;
  readonly isStarted: boolean;
  readonly hasShakenHands: boolean;
  /** How the agent ended, by itself or because the trial was over. */
  readonly exit: KeeperExit | undefined;
  /** Its first lines. */
  readonly output: readonly string[];
  readonly stderr: readonly string[];
}

/** ACP's own number for an agent that wants a sign-in first. */
const authRequired = -32_000;
const quotedLines = 3;
const longestData = 300;

/** The problem behind a failed trial. */
export function explainTrial(trial: FailedTrial): TrialProblem {
  const { entry, error, isInstalled, isStarted, hasShakenHands, output } = trial;
  if (!isInstalled) return notInstalled(entry);
  if (!isStarted) {
    const remedy = "See whether its program can be run at all:";
    return { code: "not-started", message: wordsOf(error), remedy, command: entry.launch.command };
  }
  const answer = causeOf(error, RpcError);
  if (answer !== undefined) return explainAnswer(trial, answer);
  const strange = output.filter((line) => !isJson(line));
  if (strange.length > 0 && !hasShakenHands) return speaksNoAcp(entry, strange);
  return causeOf(error, ConnectionError)?.kind === "ended" ? ended(trial) : silent(trial);
}

function notInstalled(entry: AgentEntry): TrialProblem {
  const { label, launch } = entry;
  const command = installAgent(entry);
  return {
    code: "not-installed",
    message: `${label} is not installed: there is no ${launch.command} on the PATH.`,
    remedy: command === undefined ? "Install it, or set its command in the configuration." : undefined,
    command,
  };
}

function speaksNoAcp({ label, launch }: AgentEntry, strange: readonly string[]): TrialProblem {
  return {
    code: "speaks-no-acp",
    message: `${label} speaks no ACP; its first words are: ${strange.slice(0, quotedLines).join(" | ")}`,
    remedy: "Its command needs another argument, or another program speaks ACP for it.",
    command: `${launch.command} --help`,
  };
}

function ended({ entry, exit, stderr, hasShakenHands }: FailedTrial): TrialProblem {
  // Below a stack, the last lines say nothing.
  const telling = stderr.filter((line) => /error\b/i.test(line));
  const words = (telling.length > 0 ? telling.slice(0, quotedLines) : stderr.slice(-quotedLines)).join(" | ");
  const how = exit === undefined ? "it closed its output" : endOf(exit);
  return {
    code: "ended",
    message: `${entry.label} ended (${how}) before ${nextStep(hasShakenHands)}. It said: ${words || "nothing"}`,
    remedy: "Run its command by hand to see why:",
    command: [entry.launch.command, ...entry.launch.args].map(quote).join(" "),
  };
}

function silent({ entry, timeoutMs, hasShakenHands }: FailedTrial): TrialProblem {
  return {
    code: "silent",
    message: `${entry.label} did not answer within ${timeoutMs / 1000} s, before ${nextStep(hasShakenHands)}.`,
    remedy:
      "It may load for long, or ask something on a screen: give it more time, or run its command by hand.",
    command: `holdfast agents doctor ${entry.id} --timeout ${Math.ceil((timeoutMs * 4) / 1000)}`,
  };
}

function explainAnswer(
  { entry, hasShakenHands, isSignedIn }: FailedTrial,
  { code, message, data }: RpcError,
): TrialProblem {
  const said = data === undefined || data === null ? message : `${message} ${shorten(JSON.stringify(data))}`;
  if (code === authRequired) {
    return {
      code: "sign-in-needed",
      message: `${entry.label} wants you to sign in first: ${said}`,
      ...signInCure(entry),
    };
  }
  const what = hasShakenHands ? "no session" : "no handshake";
  return {
    code: "refused",
    message: `${entry.label} would have ${what}: ${said} (${code})`,
    ...(hasShakenHands && !isSignedIn
      ? signInCure(entry)
      : { remedy: "A newer version may do better:", command: installAgent(entry) }),
  };
}

function nextStep(hasShakenHands: boolean): string {
  return hasShakenHands ? "a session was open" : "it had shaken hands";
}

/** The first error of a kind in a chain of causes. */
function causeOf<Kind extends Error>(
  error: unknown,
  kind: abstract new (...words: never[]) => Kind,
): Kind | undefined {
  if (error instanceof kind) return error;
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause, kind) : undefined;
}

function endOf({ exitCode, signal }: KeeperExit): string {
  return signal ?? `exit code ${exitCode}`;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shorten(text: string): string {
  return text.length > longestData ? `${text.slice(0, longestData)}…` : text;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    // Not JSON: that is the question.
    return false;
  }
}
