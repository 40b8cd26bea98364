// The host's queue of open questions: many at once, answerable from any connection, the first answer counts.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalId,
  type ApprovalOption,
  type ChatUri,
  findToolCall,
  type InputRequest,
  makeId,
  type PendingToolCall,
  type SessionInputRequest,
  type SessionKey,
  type SessionUri,
  type Timestamp,
  type ToolCallId,
  type TurnId,
} from "@holdfast/ahp";
import type { Translated } from "../agent/session-updates.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { HostWatchers } from "../host-watchers.ts";
import { outcomeOf, pickOption } from "../rules/approval-rules.ts";

/** The place of a question. */
export interface ApprovalPlace {
  readonly session: SessionUri;
  readonly key: SessionKey;
  readonly chat: ChatUri;
  readonly turnId: TurnId;
  /** Sends an action to the chat or the session, whose summaries follow. */
  dispatch(translated: Translated, origin?: ActionOrigin): LogEntry | undefined;
}

/** A tool call that waits for permission. */
export interface ApprovalRequest {
  readonly place: ApprovalPlace;
  readonly toolCallId: ToolCallId;
  readonly action: string;
  /** The agent's title for it. */
  readonly title: string;
  /** The file or command that it is about. */
  readonly target: string;
  readonly options: readonly ApprovalOption[];
}

/** A question that was asked. */
export interface AskedApproval {
  readonly id: ApprovalId;
  /** The first answer, the expiry, or the turn's end. */
  readonly decided: Promise<ApprovalDecision>;
}

/** A question that is open. */
export interface OpenApproval {
  readonly id: ApprovalId;
  readonly place: ApprovalPlace;
  readonly toolCallId: ToolCallId;
  readonly action: string;
  readonly target: string;
  readonly options: readonly ApprovalOption[];
  readonly expiresAt: string;
}

interface Entry extends OpenApproval {
  readonly resolve: (decision: ApprovalDecision) => void;
  readonly timer: NodeJS.Timeout;
}

/** All open questions of a host. `close` cancels them. */
export class Approvals {
  readonly #hub: Hub;
  readonly #now: () => Date;
  readonly #expiryMs: number;
  readonly #watchers: HostWatchers;
  readonly #open = new Map<string, Entry>();

  constructor(hub: Hub, now: () => Date, expiryMs: number, watchers: HostWatchers) {
    this.#hub = hub;
    this.#now = now;
    this.#expiryMs = expiryMs;
    this.#watchers = watchers;
  }

  /** Asks all clients that can answer. */
  ask(request: ApprovalRequest): AskedApproval {
    const { place, toolCallId, action, title, target, options } = request;
    const id = makeId("approval", randomUUID());
    const requestedAt = this.#now();
    const expiresAt = new Date(requestedAt.getTime() + this.#expiryMs).toISOString();
    const approval = { id, action, target, options, requestedAt: requestedAt.toISOString(), expiresAt };
    place.dispatch({
      to: "chat",
      action: {
        type: "chat/toolCallReady",
        turnId: place.turnId,
        toolCallId,
        invocationMessage: title,
        confirmation: { kind: "needed", approval },
      },
    });
    this.#listInSession(place, id, toolCallId);
    const decided = new Promise<ApprovalDecision>((resolve) => {
      const timer = setTimeout(() => this.#expire(id), this.#expiryMs);
      timer.unref();
      this.#open.set(id, { id, place, toolCallId, action, target, options, expiresAt, resolve, timer });
    });
    return { id, decided };
  }

  /** Every open question, oldest first. */
  list(): readonly OpenApproval[] {
    return [...this.#open.values()];
  }

  /** Decides an open question, as the rules allowed it; the first decision counts. */
  decide({ approvalId, ...decision }: ApprovalDecision, origin?: ActionOrigin): LogEntry | undefined {
    const entry = this.#open.get(approvalId);
    return entry && this.#decide(entry, decision, origin);
  }

  /** Decides by an option that the question offers, or cancels it where it offers none. */
  choose(id: ApprovalId, option: ApprovalOption | undefined, by: Actor): void {
    const entry = this.#open.get(id);
    if (entry === undefined) return;
    const chosen = option && { outcome: outcomeOf(option), optionId: option.id };
    this.#decide(entry, { outcome: "cancelled", ...chosen, by });
  }

  /** The asker has withdrawn the request. */
  cancel(id: ApprovalId, by: Actor): void {
    this.choose(id, undefined, by);
  }

  /** The turn is over or cancelled: its questions are answered as cancelled. */
  cancelTurn(turnId: TurnId, by: Actor): void {
    for (const entry of this.#open.values()) {
      if (entry.place.turnId === turnId) this.#decide(entry, { outcome: "cancelled", by });
    }
  }

  close(): void {
    for (const entry of this.#open.values()) {
      this.#decide(entry, { outcome: "cancelled", by: { kind: "host" } });
    }
  }

  #expire(id: ApprovalId): void {
    const entry = this.#open.get(id);
    if (entry !== undefined) this.choose(id, pickOption(entry.options, "reject"), { kind: "expiry" });
  }

  #decide(
    entry: Entry,
    made: Omit<ApprovalDecision, "approvalId" | "at">,
    origin?: ActionOrigin,
  ): LogEntry | undefined {
    this.#open.delete(entry.id);
    clearTimeout(entry.timer);
    const decision: ApprovalDecision = { ...made, approvalId: entry.id, at: this.#now().toISOString() };
    const { place, toolCallId } = entry;
    const { turnId } = place;
    const action = { type: "chat/toolCallConfirmed", turnId, toolCallId, decision } as const;
    const logged = place.dispatch({ to: "chat", action }, origin);
    place.dispatch({ to: "session", action: { type: "session/inputNeededRemoved", id: entry.id } });
    entry.resolve(decision);
    return logged;
  }

  #listInSession(place: ApprovalPlace, id: ApprovalId, toolCallId: ToolCallId): void {
    const { chat, session, turnId } = place;
    const toolCall = this.#findPending(chat, toolCallId);
    if (toolCall === undefined) return;
    const request = { kind: "toolConfirmation", id, chat, turnId, toolCall } as const;
    place.dispatch({ to: "session", action: { type: "session/inputNeededSet", request } });
    const state = this.#hub.state(session, "session");
    if (state !== undefined) this.#watchers.notify(state, { type: "approval_needed", turnId, toolCall });
  }

  #findPending(chat: ChatUri, toolCallId: ToolCallId): PendingToolCall | undefined {
    const call = findToolCall(this.#hub.state(chat, "chat")?.activeTurn, toolCallId);
    return call?.status === "pending-confirmation" ? call : undefined;
  }
}

/** A question that is open. */
export type WaitingQuestion = { readonly sessionKey: SessionKey; readonly requestedAt: Timestamp } & (
  | { readonly kind: "permission"; readonly toolCall: PendingToolCall }
  | { readonly kind: "form"; readonly request: InputRequest }
);

/** The question behind an entry of a session's list. */
export function describeWaiting(sessionKey: SessionKey, needed: SessionInputRequest): WaitingQuestion {
  if (needed.kind === "chatInput") {
    const { request } = needed;
    return { sessionKey, requestedAt: request.requestedAt, kind: "form", request };
  }
  const { toolCall } = needed;
  return { sessionKey, requestedAt: toolCall.approval.requestedAt, kind: "permission", toolCall };
}
