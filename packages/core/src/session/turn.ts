// One turn: a prompt on its way through an agent, from the first action to the one that ends it.
import type {
  Actor,
  ChatAction,
  ErrorInfo,
  LimitFired,
  Message,
  PendingMessageId,
  TurnEnd,
  TurnId,
} from "@holdfast/ahp";
import { RpcError } from "@holdfast/jsonrpc";
import { HostError } from "@holdfast/protocol";
import type { AcpUpdate } from "../agent/acp.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import { TurnTranslator, type UpdateContext } from "../agent/update-actions.ts";
import { translateOutsideTurn, type Translated } from "../agent/session-updates.ts";
import type { Redact } from "../agent/stderr-tail.ts";
import type { ApprovedCall } from "../approval/coverage.ts";
import type { Patience } from "../patience.ts";

/** A tool call that was refused because nobody could be asked. */
export interface DeniedCall {
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: string | undefined;
}

/** What a turn begins with. */
export interface TurnOpening {
  readonly turnId: TurnId;
  readonly message: Message;
  /** The waiting message that this turn takes out of the queue. */
  readonly queuedMessageId: PendingMessageId | undefined;
  /** False when nobody waits who could answer a question. */
  readonly isInteractive: boolean;
  /** Whether it is the last turn, which failed or was cut off, and goes on. */
  readonly isResumed?: boolean | undefined;
}

/** What a turn needs from its session. */
export interface TurnParts extends TurnOpening {
  readonly timeoutMs: number | undefined;
  readonly patience: Pick<Patience, "cancelMs" | "silenceMs">;
  readonly context: UpdateContext;
  dispatch(translated: Translated): void;
  now(): Date;
  /** Takes secrets out of what the agent says when it fails. */
  readonly redact?: Redact | undefined;
  /** Answers open questions of the turn as cancelled. */
  cancelQuestions(by: Actor): void;
}

type Phase =
  | { readonly name: "waiting" }
  | { readonly name: "prompting"; readonly agent: AgentConnection; readonly sessionId: string }
  | { readonly name: "ended"; readonly end: TurnEnd };

/** A turn that runs or has ended. */
export class Turn {
  readonly id: TurnId;
  readonly isInteractive: boolean;
  readonly denied: DeniedCall[] = [];
  /** Tool calls that someone or some policy said yes to, in this turn. */
  readonly approved = new Map<string, ApprovedCall>();
  /** Resolves when the turn has ended; never rejects. */
  readonly ended: Promise<TurnEnd>;
  readonly translator: TurnTranslator;
  readonly #parts: TurnParts;
  readonly #startedAt: Date;
  readonly #resolveEnded: (end: TurnEnd) => void;
  #phase: Phase = { name: "waiting" };
  #endedAt: Date | undefined;
  #cancelled: { readonly by: Actor; readonly reason?: string; readonly limit?: LimitFired } | undefined;
  readonly #timeout: NodeJS.Timeout | undefined;
  #escalation: NodeJS.Timeout | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #isSilent = false;
  #gathered: { text: string; readonly toAction: (text: string) => Translated } | undefined;

  constructor(parts: TurnParts) {
    this.id = parts.turnId;
    this.isInteractive = parts.isInteractive;
    this.#parts = parts;
    this.#startedAt = parts.now();
    this.translator = new TurnTranslator(parts.turnId, parts.context, () => parts.now());
    let resolveEnded: (end: TurnEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      resolveEnded = resolve;
    });
    this.#resolveEnded = resolveEnded;
    this.#tell(this.#opening());
    if (parts.timeoutMs !== undefined) {
      this.#timeout = setTimeout(() => this.#timeOut(parts.timeoutMs ?? 0), parts.timeoutMs);
    }
  }

  get isOver(): boolean {
    return this.#phase.name === "ended";
  }

  /** How long it took, or takes so far. */
  get durationMs(): number {
    return (this.#endedAt ?? this.#parts.now()).getTime() - this.#startedAt.getTime();
  }

  get wasCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Sends the prompt and follows it to its end. `connect` brings the agent back if it is gone. */
  async run(
    connect: () => Promise<{ agent: AgentConnection; sessionId: string }>,
    prompt: (agent: AgentConnection) => readonly object[],
  ): Promise<void> {
    try {
      const { agent, sessionId } = await connect();
      if (this.isOver) return;
      this.#phase = { name: "prompting", agent, sessionId };
      this.#watchdog = setInterval(() => this.#noteSilence(), this.#parts.patience.silenceMs);
      const { stopReason } = await agent.prompt(sessionId, prompt(agent));
      if (stopReason === "cancelled" || this.#cancelled !== undefined) this.#endCancelled();
      else {
        this.#end(
          { state: "complete", stopReason },
          { type: "chat/turnComplete", ...this.#times(), stopReason },
        );
      }
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** The hot path: one update of the agent. Text that continues a part is gathered, and told as one at the end of the tick. */
  update(update: AcpUpdate): void {
    const text = this.isOver ? undefined : this.translator.readContinuation(update);
    if (text !== undefined) return this.#gather(text);
    if (this.isOver) for (const late of translateOutsideTurn(update)) this.#parts.dispatch(late);
    else for (const translated of this.translator.translate(update)) this.#parts.dispatch(translated);
    this.noteHeard();
  }

  /** An update like this one with another text; false when it does not continue the open part. */
  updateText(update: AcpUpdate, text: string): boolean {
    if (this.isOver || !this.translator.continues(update)) return false;
    this.#gather(text);
    return true;
  }

  /** Tells the gathered text; called before anything else is told, so that the order stays the agent's. */
  flush(): void {
    const gathered = this.#gathered;
    if (gathered === undefined) return;
    this.#gathered = undefined;
    this.#parts.dispatch(gathered.toAction(gathered.text));
    this.noteHeard();
  }

  #gather(text: string): void {
    if (this.#gathered !== undefined) {
      this.#gathered.text += text;
      return;
    }
    // Bound to its part now: by the time it is told, another may be open.
    this.#gathered = { text, toAction: this.translator.continuing() };
    queueMicrotask(() => this.flush());
  }

  /** The agent has given a sign of life. */
  noteHeard(): void {
    this.#watchdog?.refresh();
    if (this.#isSilent) this.#noteLife();
  }

  /** Asks the agent to stop; if it does not in time, its process is ended. */
  cancel(by: Actor, reason?: string, limit?: LimitFired): void {
    if (this.isOver || this.#cancelled !== undefined) return;
    this.#cancelled = { by, ...(reason !== undefined && { reason }), ...(limit !== undefined && { limit }) };
    this.#parts.cancelQuestions(by);
    // The agent is still being brought back: it goes on for the next turn, and this one waits for nothing.
    if (this.#phase.name !== "prompting") return this.#endCancelled();
    const { agent, sessionId } = this.#phase;
    agent.cancel(sessionId);
    this.#escalation = setTimeout(() => void agent.kill(), this.#parts.patience.cancelMs);
  }

  /** Cuts the turn off, because the host stops. */
  interrupt(error: ErrorInfo): void {
    if (this.isOver) return;
    this.flush();
    this.#end(
      { state: "interrupted", error, resumable: true },
      { type: "chat/turnInterrupted", ...this.#times(), error, resumable: true },
    );
  }

  #opening(): ChatAction {
    const { turnId, isResumed, message, queuedMessageId } = this.#parts;
    if (isResumed === true) return { type: "chat/turnResume", turnId };
    return {
      type: "chat/turnStarted",
      turnId,
      startedAt: this.#startedAt.toISOString(),
      message,
      ...(queuedMessageId !== undefined && { queuedMessageId }),
    };
  }

  #tell(action: ChatAction): void {
    this.#parts.dispatch({ to: "chat", action });
  }

  #times(): { turnId: TurnId; endedAt: string; durationMs: number } {
    const endedAt = this.#parts.now();
    this.#endedAt = endedAt;
    return {
      turnId: this.id,
      endedAt: endedAt.toISOString(),
      durationMs: endedAt.getTime() - this.#startedAt.getTime(),
    };
  }

  #timeOut(timeoutMs: number): void {
    this.cancel({ kind: "host" }, `The turn took longer than ${timeoutMs / 1000} s.`, {
      name: "turn-time",
      value: timeoutMs,
      unit: "ms",
    });
  }

  #noteSilence(): void {
    if (this.#isSilent) return;
    this.#isSilent = true;
    const silentSeconds = Math.round(this.#parts.patience.silenceMs / 1000);
    this.#tell({
      type: "chat/activityChanged",
      activity: `No sign of life from the agent for ${silentSeconds} s`,
    });
  }

  #noteLife(): void {
    this.#isSilent = false;
    this.#tell({ type: "chat/activityChanged" });
  }

  #endCancelled(): void {
    const { by, reason, limit } = this.#cancelled ?? { by: { kind: "host" } as const };
    const why = { by, ...(reason !== undefined && { reason }), ...(limit !== undefined && { limit }) };
    if (limit !== undefined) {
      const error = { code: "ACP_TURN_TIMEOUT", message: reason ?? "The turn took too long." };
      this.#end(
        { state: "failed", error, resumable: true, limit },
        { type: "chat/error", ...this.#times(), error, resumable: true, limit },
      );
      return;
    }
    this.#end({ state: "cancelled", ...why }, { type: "chat/turnCancelled", ...this.#times(), ...why });
  }

  async #fail(cause: unknown): Promise<void> {
    if (this.isOver) return;
    const error = await this.#explain(cause);
    if (this.#cancelled !== undefined) this.#endCancelled();
    else {
      this.#end(
        { state: "failed", error, resumable: true },
        { type: "chat/error", ...this.#times(), error, resumable: true },
      );
    }
  }

  /** A dead agent's last lines tell more than the broken pipe that we noticed it by. */
  async #explain(cause: unknown): Promise<ErrorInfo> {
    if (this.#phase.name === "prompting" && !(cause instanceof RpcError)) {
      const exit = await Promise.race([this.#phase.agent.exited, nextTurnOfLoop()]);
      if (exit !== undefined) {
        const how = exit.signal ?? `exit code ${exit.exitCode ?? "unknown"}`;
        return {
          code: "ACP_AGENT_EXITED",
          message: `The agent's process ended in mid-turn (${how}). Send the message again to start it anew.`,
          retryable: true,
          stderrTail: exit.stderrTail,
        };
      }
    }
    if (cause instanceof HostError) {
      const { code, message, details } = cause;
      return { code, message, ...(details["retryable"] === true && { retryable: true }) };
    }
    const { message = String(cause), code } = cause as { message?: string; code?: string | number };
    return {
      code: "ACP_TURN_FAILED",
      message: this.#parts.redact?.(message) ?? message,
      ...(code !== undefined && { detailCode: `${code}` }),
    };
  }

  #end(end: TurnEnd, action: ChatAction): void {
    if (this.isOver) return;
    this.#phase = { name: "ended", end };
    clearTimeout(this.#timeout);
    clearTimeout(this.#escalation);
    clearInterval(this.#watchdog);
    this.#parts.cancelQuestions({ kind: "host" });
    this.#tell(action);
    this.#resolveEnded(end);
  }
}

/** The process's end and the broken connection are noticed in the same turn of the loop or the next. */
function nextTurnOfLoop(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, 250, undefined);
  });
}
