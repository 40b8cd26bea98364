// The turns under way, one per session at most.
import { ErrorCode, RpcError } from "@holdfast/jsonrpc";
import { runTurn } from "./turn/run-turn.ts";
import { Turn } from "./turn/turn.ts";
import type { PromptResult } from "./acp/agent-methods.ts";
import type { Prompt } from "./turn/prompt.ts";
import type { TurnOptions } from "./turn/turn.ts";

interface RunningTurn {
  readonly turn: Turn;
  readonly ended: Promise<unknown>;
}

/** Starts, cancels and waits for turns. */
export class Turns {
  readonly #running = new Map<string, RunningTurn>();

  /** Runs a turn; a second one in the same session is refused (S10). The signal cancels it. */
  async run(options: TurnOptions, prompt: Prompt, signal: AbortSignal): Promise<PromptResult> {
    const { session } = options;
    if (this.#running.has(session.id)) {
      throw new RpcError(ErrorCode.invalidRequest, `Session ${session.id} has a turn under way`);
    }
    const turn = new Turn(options);
    const onAbort = (): void => {
      turn.cancel();
    };
    signal.addEventListener("abort", onAbort);
    const answering = runTurn(turn, prompt);
    this.#running.set(session.id, { turn, ended: answering.catch(() => undefined) });
    try {
      return await answering;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#running.delete(session.id);
      session.touch();
      turn.save();
    }
  }

  /** Cancels the turn of a session, if there is one, and resolves when it has ended. */
  async cancel(sessionId: string): Promise<void> {
    const running = this.#running.get(sessionId);
    running?.turn.cancel();
    await running?.ended;
  }

  /** Cancels all turns and resolves when they have ended. */
  async cancelAll(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((sessionId) => this.cancel(sessionId)));
  }
}
