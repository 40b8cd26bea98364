// One turn: a prompt to an agent, from the first action to the one that ends it.
import {
  type Actor,
  type ChatAction,
  type ErrorInfo,
  type LimitFired,
  type Message,
  type PendingMessageId,
  type RequestMark,
  type TurnEnd,
  type TurnEndAction,
  turnEndOf,
  type TurnId,
} from "@holdfast/ahp";
import { type AcpPromptResult, readUsage } from "../agent/acp.ts";
import type { AgentConnection } from "../agent/agent-connection.ts";
import type { UpdateContext } from "../agent/update-actions.ts";
import { Grants, type SavedGrants } from "../approval/grants.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { OnContextLost } from "./agent-opening.ts";
import type { SessionContext } from "./session-context.ts";
import { describeExit, explainFailure, findExit } from "./turn-failure.ts";
import { type SavedResponse, TurnResponse } from "./turn-response.ts";

/** A tool call that was denied because nobody could be asked. */
export interface DeniedCall {
  readonly toolCallId: string;
  readonly title: string;
  readonly target: string;
  readonly kind: string | undefined;
}

/** The start of a turn. */
export interface TurnOpening {
  readonly turnId: TurnId;
  readonly message: Message;
  /** The waiting message that this turn takes out of the queue. */
  readonly queuedMessageId: PendingMessageId | undefined;
  /** False when no client waits that could answer a question. */
  readonly isInteractive: boolean;
  /** Default: to continue without. */
  readonly onContextLost?: OnContextLost | undefined;
  /** Whether it continues the last turn, which failed or was cut off. */
  readonly isResumed?: boolean | undefined;
  /** The client that began it, for the log entry of its first action. */
  readonly origin?: ActionOrigin | undefined;
}

/** A turn that runs, as the next host gets to know it. */
export interface SavedTurn extends SavedResponse {
  readonly id: TurnId;
  readonly startedAt: string;
  readonly isInteractive: boolean;
  readonly onContextLost?: OnContextLost | undefined;
  readonly denied: readonly DeniedCall[];
  readonly grants: SavedGrants;
  /** The request that waits for its response; absent while the turn waits for its agent. */
  readonly prompt?: { readonly id: number; readonly sessionId: string } | undefined;
  readonly cancelled?: Cancellation | undefined;
  readonly steering?: SentSteering | undefined;
}

/** A message on its way into the turn; `requestId` waits for its response. */
export interface SentSteering {
  readonly id: PendingMessageId;
  readonly text: string;
  /** The name under which its sender would send it again. */
  readonly request?: RequestMark | undefined;
  readonly requestId: number;
}

interface Cancellation {
  readonly by: Actor;
  readonly reason?: string;
  readonly limit?: LimitFired;
}

type Phase =
  | { readonly name: "waiting" }
  | {
      readonly name: "prompting";
      readonly agent: AgentConnection;
      readonly sessionId: string;
      readonly promptId: number;
    }
  | { readonly name: "ended"; readonly end: TurnEnd };

/** A turn that runs or has ended. */
export class Turn {
  readonly id: TurnId;
  readonly isInteractive: boolean;
  readonly onContextLost: OnContextLost;
  readonly denied: DeniedCall[];
  /** Approvals of a person or a policy in this turn. */
  readonly grants: Grants;
  readonly response: TurnResponse;
  /** Resolves when the turn has ended; never rejects. */
  readonly ended: Promise<TurnEnd>;
  /** The log entry of its first action. */
  readonly opening: LogEntry | undefined;
  steering: SentSteering | undefined;
  readonly #context: SessionContext;
  readonly #startedAt: Date;
  readonly #resolveEnded: (end: TurnEnd) => void;
  #phase: Phase = { name: "waiting" };
  #followed: Promise<void> | undefined;
  #endedAt: Date | undefined;
  #cancelled: Cancellation | undefined;
  readonly #timeout: NodeJS.Timeout | undefined;
  #escalation: NodeJS.Timeout | undefined;

  /** Begins a turn, or continues that of an earlier host. */
  constructor(
    context: SessionContext,
    opening: TurnOpening | SavedTurn,
    findTerminal: UpdateContext["terminal"],
  ) {
    const saved = "startedAt" in opening ? opening : undefined;
    this.id = "startedAt" in opening ? opening.id : opening.turnId;
    this.isInteractive = opening.isInteractive;
    this.onContextLost = opening.onContextLost ?? "continue";
    this.denied = [...(saved?.denied ?? [])];
    this.grants = new Grants(saved?.grants);
    this.#context = context;
    this.#startedAt = saved === undefined ? context.now() : new Date(saved.startedAt);
    this.response = new TurnResponse(context, this.id, findTerminal, saved);
    let resolveEnded: (end: TurnEnd) => void = () => {};
    this.ended = new Promise((resolve) => {
      resolveEnded = resolve;
    });
    this.#resolveEnded = resolveEnded;
    if ("startedAt" in opening) {
      this.#cancelled = opening.cancelled;
      this.steering = opening.steering;
    } else this.opening = this.#dispatch(this.#firstAction(opening), opening.origin);
    const { timeoutSeconds } = context.state.runtimeOptions;
    if (timeoutSeconds !== undefined) {
      const leftMs = timeoutSeconds * 1000 - this.durationMs;
      this.#timeout = setTimeout(
        () => this.#timeOut(timeoutSeconds),
        saved === undefined ? leftMs : Math.max(leftMs, minTimeoutMs),
      );
    }
  }

  /** The turn as the next host gets to know it; undefined when it is over. */
  get saved(): SavedTurn | undefined {
    const phase = this.#phase;
    if (phase.name === "ended") return undefined;
    return {
      id: this.id,
      startedAt: this.#startedAt.toISOString(),
      isInteractive: this.isInteractive,
      onContextLost: this.onContextLost,
      denied: this.denied,
      grants: this.grants.saved,
      ...this.response.saved,
      ...(phase.name === "prompting" && { prompt: { id: phase.promptId, sessionId: phase.sessionId } }),
      ...(this.#cancelled !== undefined && { cancelled: this.#cancelled }),
      ...(this.steering !== undefined && { steering: this.steering }),
    };
  }

  /** Whether the agent works on its prompt. */
  get isPrompting(): boolean {
    return this.#phase.name === "prompting";
  }

  get isOver(): boolean {
    return this.#phase.name === "ended";
  }

  /** How long it took, or takes so far. */
  get durationMs(): number {
    return (this.#endedAt ?? this.#context.now()).getTime() - this.#startedAt.getTime();
  }

  get wasCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** Sends the prompt and follows it to its end. `connect` restarts the agent if it is gone. */
  async run(
    connect: () => Promise<{ agent: AgentConnection; sessionId: string }>,
    prompt: (agent: AgentConnection) => readonly object[],
  ): Promise<void> {
    try {
      const { agent, sessionId } = await connect();
      if (this.isOver) return;
      const answer = agent.prompt(sessionId, prompt(agent));
      this.#followed = this.#follow({ name: "prompting", agent, sessionId, promptId: agent.lastId }, answer);
      await this.#followed;
    } catch (error) {
      await this.#fail(error);
    }
  }

  /** Follows the prompt that an earlier host sent to its end. */
  async resume(agent: AgentConnection, { id, sessionId }: NonNullable<SavedTurn["prompt"]>): Promise<void> {
    try {
      const answer = agent.awaitPrompt(id, sessionId);
      if (this.#cancelled !== undefined) this.#escalate(agent);
      this.#followed = this.#follow({ name: "prompting", agent, sessionId, promptId: id }, answer);
      await this.#followed;
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #follow(phase: Phase, answer: Promise<AcpPromptResult>): Promise<void> {
    this.#phase = phase;
    this.response.open();
    try {
      const { stopReason, usage } = await answer;
      const used = readUsage(usage);
      if (used !== undefined && !this.isOver) {
        this.#dispatch({ type: "chat/usage", turnId: this.id, usage: used });
      }
      if (stopReason === "cancelled" || this.#cancelled !== undefined) this.#endCancelled();
      else this.#end({ type: "chat/turnComplete", ...this.#times(), stopReason });
    } finally {
      // After `abort` the turn is over before its prompt is.
      clearTimeout(this.#escalation);
    }
  }

  /** Asks the agent to stop; if it does not in time, its process is ended. Gives the entry of an end that comes at once. */
  cancel(by: Actor, reason?: string, limit?: LimitFired, origin?: ActionOrigin): LogEntry | undefined {
    if (this.isOver || this.#cancelled !== undefined) return undefined;
    this.#cancelled = { by, ...(reason !== undefined && { reason }), ...(limit !== undefined && { limit }) };
    this.#cancelQuestions(by);
    // The agent is still being resumed: that continues for the next turn, and this one waits for nothing.
    if (this.#phase.name !== "prompting") return this.#endCancelled(origin);
    const { agent, sessionId } = this.#phase;
    agent.cancel(sessionId);
    this.#escalate(agent);
    return undefined;
  }

  #escalate(agent: AgentConnection): void {
    const end = (): void =>
      void agent
        .kill()
        .catch((error: unknown) => this.#context.warn(`The agent could not be ended: ${String(error)}`));
    this.#escalation = setTimeout(end, this.#context.deps.timeouts.cancelMs);
  }

  /**
   * Fails the turn now, because the host can no longer record it, and asks the agent to stop (D261). What it
   * gives settles when the agent has stopped; undefined where it was not prompted.
   */
  abort(error: ErrorInfo): Promise<void> | undefined {
    if (this.isOver) return undefined;
    this.response.flush();
    const phase = this.#phase;
    this.#end({ type: "chat/error", ...this.#times(), error, resumable: true });
    if (phase.name !== "prompting") return undefined;
    phase.agent.cancel(phase.sessionId);
    this.#escalate(phase.agent);
    return this.#followed;
  }

  /** Cuts the turn off, because the host stops. */
  interrupt(error: ErrorInfo): void {
    if (this.isOver) return;
    this.response.flush();
    this.#end({ type: "chat/turnInterrupted", ...this.#times(), error, resumable: true });
  }

  #firstAction({ turnId, isResumed, message, queuedMessageId }: TurnOpening): ChatAction {
    if (isResumed === true) return { type: "chat/turnResume", turnId };
    return {
      type: "chat/turnStarted",
      turnId,
      startedAt: this.#startedAt.toISOString(),
      message,
      ...(queuedMessageId !== undefined && { queuedMessageId }),
    };
  }

  #dispatch(action: ChatAction, origin?: ActionOrigin): LogEntry | undefined {
    return this.#context.dispatch({ to: "chat", action }, origin);
  }

  #times(): { turnId: TurnId; endedAt: string; durationMs: number } {
    const endedAt = this.#context.now();
    this.#endedAt = endedAt;
    return {
      turnId: this.id,
      endedAt: endedAt.toISOString(),
      durationMs: endedAt.getTime() - this.#startedAt.getTime(),
    };
  }

  #timeOut(timeoutSeconds: number): void {
    this.cancel({ kind: "host" }, `The turn took longer than ${timeoutSeconds} s.`, {
      name: "turn-time",
      value: timeoutSeconds * 1000,
      unit: "ms",
    });
  }

  #cancelQuestions(by: Actor): void {
    const { approvals, inputs } = this.#context.deps;
    approvals.cancelTurn(this.id, by);
    inputs.cancelTurn(this.id, by);
  }

  #endCancelled(origin?: ActionOrigin): LogEntry | undefined {
    const { by, reason, limit } = this.#cancelled ?? { by: { kind: "host" } as const };
    const why = { by, ...(reason !== undefined && { reason }), ...(limit !== undefined && { limit }) };
    if (limit !== undefined) {
      const error = { code: "ACP_TURN_TIMEOUT", message: reason ?? "The turn took too long." };
      return this.#end({ type: "chat/error", ...this.#times(), error, resumable: true, limit });
    }
    return this.#end({ type: "chat/turnCancelled", ...this.#times(), ...why }, origin);
  }

  async #fail(cause: unknown): Promise<void> {
    if (this.isOver) return;
    const agent = this.#phase.name === "prompting" ? this.#phase.agent : undefined;
    const exit = await findExit(cause, agent);
    if (this.isOver) return;
    const error = exit === undefined ? explainFailure(cause, this.#context, agent) : describeExit(exit);
    const limit = exit?.limit && { limit: exit.limit };
    if (this.#cancelled !== undefined) this.#endCancelled();
    else this.#end({ type: "chat/error", ...this.#times(), error, resumable: true, ...limit });
  }

  #end(action: TurnEndAction, origin?: ActionOrigin): LogEntry | undefined {
    if (this.isOver) return undefined;
    const end = turnEndOf(action);
    this.#phase = { name: "ended", end };
    clearTimeout(this.#timeout);
    clearTimeout(this.#escalation);
    this.#cancelQuestions({ kind: "host" });
    this.response.end();
    const entry = this.#dispatch(action, origin);
    this.#resolveEnded(end);
    return entry;
  }
}

/** A turn whose time ran out while no host was there may have ended in time: what it wrote is read first. */
const minTimeoutMs = 500;
