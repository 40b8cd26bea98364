// Performs what clients submit to a terminal, once the rules allow it: type, resize, claim, rename, clear, end.
import type { Action, TerminalState } from "@holdfast/ahp";
import { TerminalError, type TerminalErrorCode } from "@holdfast/terminal/port";
import { type ErrorCode, HostError } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import type { LogEntry } from "../channel/log-entry.ts";
import { hostOnly, type Rejection, clientIdOf, reject } from "../rules/rule.ts";
import {
  refuseDisposal,
  refuseKill,
  refusePipedInput,
  refuseSize,
  refuseUse,
} from "../rules/terminal-rules.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import type { HostTerminals } from "../terminal/host-terminals.ts";
import { disposeOf } from "../terminal/person-terminals.ts";
import type { TerminalClaims } from "../terminal/terminal-claims.ts";
import {
  type Request,
  type Submission,
  type SubmittedBy,
  type TerminalWrite,
  accepted,
  rejected,
} from "./submission.ts";

export interface TerminalDeps {
  readonly hub: Hub;
  readonly terminals: HostTerminals;
  readonly claims: TerminalClaims;
}

/** Requests that have nothing to do when the terminal is over. */
const endings: ReadonlySet<string> = new Set(["terminal/interrupt", "terminal/kill", "terminal/dispose"]);

/** `terminal` is absent when the terminal is over: then it can only be read. */
export function submitToTerminal(
  { terminals, claims }: TerminalDeps,
  terminal: HostTerminal | undefined,
  state: TerminalState,
  submitted: Action | Request,
  { actor, origin }: SubmittedBy,
): Submission | Promise<Submission> {
  const by = clientIdOf(actor);
  const perform = (rejection: Rejection | undefined, run: () => LogEntry | undefined | void): Submission =>
    rejection === undefined ? accepted(run() ?? undefined) : rejected(rejection);
  if (terminal === undefined) {
    return endings.has(submitted.type) ? accepted() : rejected(OVER);
  }
  switch (submitted.type) {
    case "terminal/input": {
      const { data, key } = submitted;
      const input: TerminalWrite = { type: "terminal/write", bytes: Buffer.from(data), key };
      // A client that cannot send it again gets its responses in the order of its actions instead.
      return write(terminal, state, input, by, key !== undefined);
    }
    case "terminal/write":
      return write(terminal, state, submitted, by, true);
    case "terminal/resized":
      return perform(refuseUse(state, by, "resize") ?? refuseSize(submitted), () =>
        terminal.publisher.dispatch({ type: "terminal/resized", ...terminal.setSize(submitted) }, origin),
      );
    case "terminal/titleChanged": {
      const action = { type: "terminal/titleChanged", title: submitted.title, source: "person" } as const;
      return perform(refuseUse(state, by, "rename"), () => terminal.publisher.dispatch(action, origin));
    }
    case "terminal/cleared":
      return perform(refuseUse(state, by, "clear"), () => terminals.channels.clear(terminal, origin));
    case "terminal/claimed":
      return claims.claim(terminal, state, submitted, by, origin);
    case "terminal/interrupt": {
      const rejection = refuseKill(state);
      return rejection === undefined ? terminal.interrupt().then(() => accepted()) : rejected(rejection);
    }
    case "terminal/kill": {
      const rejection = refuseKill(state);
      return rejection === undefined ? terminal.kill().then(() => accepted()) : rejected(rejection);
    }
    case "terminal/dispose": {
      const rejection = refuseDisposal(state, by);
      return rejection === undefined ? disposeOf(terminal).then(() => accepted()) : rejected(rejection);
    }
    default:
      return rejected(hostOnly(submitted));
  }
}

const KEYED_PIPE = reject(
  "Only input to a tty can have a key. For a pipe, give the offset of the input instead.",
);
const OVER = reject("This terminal has ended; it can only be read.", "TERMINAL_EXITED");

/**
 * Input goes to the program alone and leaves no log entry: it may be a password. It is written at once; a pipe accepts it
 * when its buffer has space, and a tty, if `isConfirmed`, when no kill of the host can lose it (U770).
 */
function write(
  terminal: HostTerminal,
  state: TerminalState,
  { bytes, offset, isLast, key }: TerminalWrite,
  by: ReturnType<typeof clientIdOf>,
  isConfirmed: boolean,
): Submission | Promise<Submission> {
  const pipe = terminal.input;
  const rejection = pipe === undefined ? refuseUse(state, by, "input") : refusePipedInput(state, by);
  if (rejection !== undefined) return rejected(rejection);
  if (pipe !== undefined) {
    // Its writers wait until it is accepted, which those of keyed input do not.
    if (key !== undefined) return rejected(KEYED_PIPE);
    return pipe.take(bytes, { offset, isLast }).then(() => accepted());
  }
  try {
    terminal.write(bytes, key);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    const code = inputErrors[error.code] ?? "INVALID_REQUEST";
    throw new HostError(code, `${error.message}.`, { cause: error });
  }
  if (!isConfirmed) return accepted();
  return terminal.inputTaken().then(
    () => accepted(),
    (cause: unknown) => {
      // It was replaced or has closed its process port: the next host takes what is sent again.
      const isLost = cause instanceof TerminalError && cause.code === "lost";
      throw new HostError(isLost ? "TERMINAL_EXITED" : "HOST_STOPPING", undefined, { cause });
    },
  );
}

const inputErrors: Partial<Record<TerminalErrorCode, ErrorCode>> = {
  closed: "TERMINAL_EXITED",
  fenced: "HOST_STOPPING",
};
