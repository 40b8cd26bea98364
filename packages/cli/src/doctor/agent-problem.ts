// Messages for failed agent trials: the reason and the fix.
import { type AcpAuthMethod, type AgentEntry, saysLoginNeeded, signInRemedy } from "@holdfast/core";
import { ConnectionError, RpcError } from "@holdfast/jsonrpc";
import type { RunExit } from "@holdfast/terminal/port";
import { messageOf } from "../command-error.ts";
import { quote } from "../safe-text.ts";
import { installRemedy } from "./agents.ts";

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

export interface FailedTrial {
  readonly entry: AgentEntry;
  readonly error: unknown;
  readonly timeoutMs: number;
  readonly isInstalled: boolean;
  /** Whether a sign-in was found, or none is needed. */
  readonly isSignedIn: boolean;
  readonly isStarted: boolean;
  readonly hasShakenHands: boolean;
  /** The ways to sign in that it offered. */
  readonly authMethods: readonly AcpAuthMethod[];
  /** How the agent ended, also when the trial ended it. */
  readonly exit: RunExit | undefined;
  readonly output: readonly string[];
  readonly stderr: readonly string[];
}

const quotedLines = 3;
const longestData = 300;

export function explainTrial(trial: FailedTrial): TrialProblem {
  const { entry, error, isInstalled, isStarted, hasShakenHands, output } = trial;
  if (!isInstalled) return notInstalled(entry);
  if (!isStarted) {
    const remedy = "Check whether its program runs at all:";
    return { code: "not-started", message: messageOf(error), remedy, command: entry.launch.command };
  }
  const answer = causeOf(error, RpcError);
  if (answer !== undefined) return explainAnswer(trial, answer);
  const strange = output.filter((line) => !isJson(line));
  if (strange.length > 0 && !hasShakenHands) return speaksNoAcp(entry, strange);
  return causeOf(error, ConnectionError)?.kind === "ended" ? ended(trial) : silent(trial);
}

function notInstalled(entry: AgentEntry): TrialProblem {
  const { label, launch } = entry;
  return {
    code: "not-installed",
    message: `${label} is not installed: there is no ${launch.command} on the PATH.`,
    ...installRemedy(entry),
  };
}

function speaksNoAcp({ label, launch }: AgentEntry, strange: readonly string[]): TrialProblem {
  return {
    code: "speaks-no-acp",
    message: `${label} does not speak ACP; its output begins with: ${strange.slice(0, quotedLines).join(" | ")}`,
    remedy: "It needs another argument, or a separate program that speaks ACP for it.",
    command: `${launch.command} --help`,
  };
}

function ended({ entry, exit, stderr, hasShakenHands }: FailedTrial): TrialProblem {
  // Below a stack, the last lines say nothing.
  const errors = stderr.filter((line) => /error\b/i.test(line));
  const words = (errors.length > 0 ? errors.slice(0, quotedLines) : stderr.slice(-quotedLines)).join(" | ");
  const printed = words === "" ? "It printed nothing." : `Its last output: ${words}`;
  const how = exit === undefined ? "it closed its output" : endOf(exit);
  return {
    code: "ended",
    message: `${entry.label} ended (${how}) before ${nextStep(hasShakenHands)}. ${printed}`,
    remedy: "Run its command by hand to see why:",
    command: [entry.launch.command, ...entry.launch.args].map(quote).join(" "),
  };
}

function silent({ entry, timeoutMs, hasShakenHands }: FailedTrial): TrialProblem {
  return {
    code: "silent",
    message: `${entry.label} did not respond within ${timeoutMs / 1000} s, before ${nextStep(hasShakenHands)}.`,
    remedy: "It may be slow to load, or waiting for input: give it more time, or run its command by hand.",
    command: `holdfast agents doctor ${entry.id} --timeout ${Math.ceil((timeoutMs * 4) / 1000)}`,
  };
}

/** An agent that lacks a sign-in, by its own word or because none was found. */
export function signInNeeded(
  entry: AgentEntry,
  said: string,
  offered: readonly AcpAuthMethod[],
): TrialProblem {
  const { text: remedy, command } = signInRemedy(entry, offered);
  return { code: "sign-in-needed", message: `${entry.label} is not signed in: ${said}`, remedy, command };
}

function explainAnswer(
  { entry, hasShakenHands, isSignedIn, authMethods }: FailedTrial,
  error: RpcError,
): TrialProblem {
  const { code, message, data } = error;
  const said = data === undefined || data === null ? message : `${message} ${shorten(JSON.stringify(data))}`;
  if (saysLoginNeeded(error)) return signInNeeded(entry, said, authMethods);
  const { text, command } = signInRemedy(entry, authMethods);
  const what = hasShakenHands ? "session" : "handshake";
  return {
    code: "refused",
    message: `${entry.label} rejected the ${what}: ${said} (${code})`,
    ...(hasShakenHands && !isSignedIn
      ? { remedy: text, command }
      : { remedy: "A newer version may work:", command: entry.installCommand }),
  };
}

function nextStep(hasShakenHands: boolean): string {
  return hasShakenHands ? "a session was open" : "the handshake was complete";
}

/** The first error of a kind in a chain of causes. */
function causeOf<Kind extends Error>(
  error: unknown,
  kind: abstract new (...words: never[]) => Kind,
): Kind | undefined {
  if (error instanceof kind) return error;
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause, kind) : undefined;
}

function endOf({ exitCode, signal }: RunExit): string {
  return signal ?? `exit code ${exitCode}`;
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
