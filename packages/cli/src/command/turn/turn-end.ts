// How a turn ended for whoever followed it: as an exit code, and as words where it did not end well (C26).
import type { TurnEventOf } from "@holdfast/sdk";
import { CommandError } from "../../command-error.ts";
import { EXIT_CODES } from "../../exit-codes.ts";
import { safeText } from "../../safe-text.ts";

/** How it ended. */
export type TurnEnd =
  | { readonly kind: "done"; readonly stopReason: string }
  | { readonly kind: "failed"; readonly error: TurnEventOf<"error">["data"] }
  /** Whoever followed it left; the turn itself goes on. */
  | { readonly kind: "left"; readonly exitCode: number };

/** Turns that the end of a host cut short. */
const interruptions = new Set(["HOST_STOPPING", "HOST_RESTARTED"]);

const stops: Readonly<Record<string, { code: string; message: string; exitCode: number }>> = {
  max_tokens: {
    code: "MAX_TOKENS",
    message: "The turn ended early: the agent had no tokens left.",
    exitCode: EXIT_CODES.maxTokens,
  },
  max_turn_requests: {
    code: "MAX_TURN_REQUESTS",
    message: "The turn ended early: the agent asked its model as often as it may in one turn.",
    exitCode: EXIT_CODES.maxTurnRequests,
  },
  refusal: {
    code: "REFUSAL",
    message: "The model refused to answer; the agent may have forgotten this message.",
    exitCode: EXIT_CODES.refusal,
  },
};

/** The error that an end is to a script; undefined for one that is as it should be, was cancelled, or was not seen. */
export function turnFailure(end: TurnEnd): CommandError | undefined {
  if (end.kind === "left") return undefined;
  if (end.kind === "failed") return failedTurn(end.error);
  const stop = stops[end.stopReason];
  return stop && new CommandError(stop.code, stop.message, { exitCode: stop.exitCode });
}

/** The exit code of an end that is no failure. A reason that is not known here is an end like any other. */
export function turnExitCode(end: TurnEnd): number {
  if (end.kind === "left") return end.exitCode;
  return end.kind === "done" && end.stopReason === "cancelled" ? EXIT_CODES.cancelled : EXIT_CODES.done;
}

function failedTurn(error: TurnEventOf<"error">["data"]): CommandError {
  const { code, message } = error;
  const isInterrupted = interruptions.has(code);
  return new CommandError(code, safeText(message), {
    exitCode: isInterrupted ? EXIT_CODES.turnInterrupted : EXIT_CODES.turnFailed,
    remedy: isInterrupted ? undefined : lastWords(error),
  });
}

/** What the agent last said on its stderr, where the host tells it. */
function lastWords(error: Readonly<Record<string, unknown>>): string | undefined {
  const { stderrTail } = error;
  if (!Array.isArray(stderrTail) || stderrTail.length === 0) return undefined;
  return `The agent's last words: ${stderrTail.map((line) => safeText(String(line))).join(" / ")}`;
}
