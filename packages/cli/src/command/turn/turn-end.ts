// End of a turn for its follower: an exit code, and an error where it did not end well (C26).
import type { Remedy } from "@holdfast/ahp";
import type { TurnEvent, TurnEventOf } from "@holdfast/sdk";
import { CommandError } from "../../command-error.ts";
import { EXIT_CODES } from "../../exit-codes.ts";
import { safeText } from "../../safe-text.ts";
import { fieldsOf } from "./turn-view.ts";

export type TurnEnd =
  | { readonly kind: "done"; readonly stopReason: string }
  /** It ended well, but everything that the agent asked for was denied: without a person, or by one. */
  | { readonly kind: "denied"; readonly by: "host" | "person" }
  | { readonly kind: "failed"; readonly error: TurnEventOf<"error">["data"] }
  /** The follower left; the turn itself continues. */
  | { readonly kind: "left"; readonly exitCode: number };

/** Turns that the end of a host cut short. */
const interruptions = new Set(["HOST_STOPPING", "HOST_RESTARTED"]);

const stops: Readonly<Record<string, { code: string; message: string; exitCode: number }>> = {
  max_tokens: {
    code: "MAX_TOKENS",
    message: "The turn ended early: the agent ran out of tokens.",
    exitCode: EXIT_CODES.maxTokens,
  },
  max_turn_requests: {
    code: "MAX_TURN_REQUESTS",
    message: "The turn ended early: the agent reached its limit of model requests in one turn.",
    exitCode: EXIT_CODES.maxTurnRequests,
  },
  refusal: {
    code: "REFUSAL",
    message: "The model refused to answer; the agent may have dropped this message from its context.",
    exitCode: EXIT_CODES.refusal,
  },
};

/** The error of an end for a script; undefined for a regular end, a cancelled one, or one that was not seen. */
export function turnFailure(end: TurnEnd): CommandError | undefined {
  if (end.kind === "left") return undefined;
  if (end.kind === "failed") return failedTurn(end.error);
  if (end.kind === "denied") {
    return new CommandError("ACTIONS_DENIED", "Every action that the agent asked for was denied.", {
      exitCode: EXIT_CODES.declined,
      remedy:
        end.by === "person"
          ? "To decide again, send the prompt again."
          : "Run it with another --policy, or without one to be asked.",
    });
  }
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
    remedy: isInterrupted ? undefined : (error.remedy?.text ?? lastWords(error)),
  });
}

export function turnRemedy(end: TurnEnd): Remedy | undefined {
  return end.kind === "failed" ? end.error.remedy : undefined;
}

/** The last lines of the agent's stderr, where the host reports them. */
function lastWords(error: Readonly<Record<string, unknown>>): string | undefined {
  const { stderrTail } = error;
  if (!Array.isArray(stderrTail) || stderrTail.length === 0) return undefined;
  return `The agent's last output: ${stderrTail.map((line) => safeText(String(line))).join(" / ")}`;
}

/** Deciders that are no person. */
const automatic = new Set(["policy", "expiry", "host"]);

export class TurnActions {
  #approved = 0;
  #completed = 0;
  #deniedByHost = 0;
  #deniedByPerson = 0;

  /** Takes an event of the turn. */
  note(event: TurnEvent): void {
    if (event.type === "tool_call" && event.data.status === "completed") this.#completed += 1;
    if (event.type !== "status" || event.data.tag !== "permission_resolved") return;
    const { outcome, by } = fieldsOf(event.data);
    if (outcome === "approved") this.#approved += 1;
    else if (automatic.has(String(by))) this.#deniedByHost += 1;
    else if (outcome === "denied") this.#deniedByPerson += 1;
  }

  /** The end of a turn that nobody cut short. */
  endOf(stopReason: string): TurnEnd {
    const isDenied = this.#deniedByHost + this.#deniedByPerson > 0;
    const isAllDenied = isDenied && this.#approved + this.#completed === 0;
    if (stopReason !== "end_turn" || !isAllDenied) return { kind: "done", stopReason };
    return { kind: "denied", by: this.#deniedByHost > 0 ? "host" : "person" };
  }
}
