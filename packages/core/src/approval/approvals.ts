// The host's own queue of questions: many at once, answerable from any connection, the first answer counts.
import { randomUUID } from "node:crypto";
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalId,
  type ApprovalOption,
  type ChatUri,
  type PendingToolCall,
  type SessionKey,
  type SessionUri,
  type ToolCallId,
  type TurnId,
  makeId,
  turnParts,
} from "@holdfast/ahp";
import type { Translated } from "../agent/session-updates.ts";
import type { Hub } from "../channel/hub.ts";
import type { HostWatchers } from "../host-watchers.ts";
import { findOption, isAllowing, pickOption } from "./policy.ts";

/** Where a question belongs. */
export interface ApprovalPlace {
  readonly session: SessionUri;
  readonly key: SessionKey;
  readonly chat: ChatUri;
  readonly turnId: TurnId;
  /** Sends an action to the chat or the session, whose summaries follow. */
  tell(translated: Translated): void;
}

/** A tool call that waits for permission. */
export interface ApprovalRequest {
  readonly place: ApprovalPlace;
  readonly toolCallId: ToolCallId;
  readonly action: string;
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

/** What became of an answer. */
export type AnswerResult =
  | { readonly resolved: true }
  | { readonly resolved: false; readonly reason: string };

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

  /** Asks everybody who can answer. */
  ask(request: ApprovalRequest): AskedApproval {
    const { place, toolCallId, action, target, options } = request;
    const id = makeId("approval", randomUUID());
    const requestedAt = this.#now();
    const expiresAt = new Date(requestedAt.getTime() + this.#expiryMs).toISOString();
    const approval = { id, action, target, options, requestedAt: requestedAt.toISOString(), expiresAt };
    place.tell({
      to: "chat",
      action: {
        type: "chat/toolCallReady",
        turnId: place.turnId,
        toolCallId,
        invocationMessage: target,
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

  /** Answers with an option's id, or with the kind that exactly one option has. */
  answer(id: string, answer: string, by: Actor, session?: SessionKey): AnswerResult {
    const entry = this.#open.get(id);
    if (entry === undefined || (session !== undefined && entry.place.key !== session)) {
      return {
        resolved: false,
        reason: "This request is not open: it was answered, expired, or never made.",
      };
    }
    const option = findOption(entry.options, answer);
    if (option === undefined) {
      return {
        resolved: false,
        reason: `There is no option '${answer}'. Choose one of: ${entry.options.map((known) => known.id).join(", ")}.`,
      };
    }
    this.#decide(entry, { outcome: isAllowing(option) ? "approved" : "denied", optionId: option.id, by });
    return { resolved: true };
  }

  /** Whoever asked does not want to know any more. */
  cancel(id: ApprovalId, by: Actor): void {
    const entry = this.#open.get(id);
    if (entry !== undefined) this.#decide(entry, { outcome: "cancelled", by });
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
    if (entry === undefined) return;
    const option = pickOption(entry.options, "reject");
    this.#decide(
      entry,
      option === undefined
        ? { outcome: "cancelled", by: { kind: "expiry" } }
        : { outcome: "denied", optionId: option.id, by: { kind: "expiry" } },
    );
  }

  #decide(entry: Entry, answer: Omit<ApprovalDecision, "approvalId" | "at">): void {
    this.#open.delete(entry.id);
    clearTimeout(entry.timer);
    const decision: ApprovalDecision = { approvalId: entry.id, at: this.#now().toISOString(), ...answer };
    const { place, toolCallId } = entry;
    const { turnId } = place;
    place.tell({ to: "chat", action: { type: "chat/toolCallConfirmed", turnId, toolCallId, decision } });
    place.tell({ to: "session", action: { type: "session/inputNeededRemoved", id: entry.id } });
    entry.resolve(decision);
  }

  #listInSession(place: ApprovalPlace, id: ApprovalId, toolCallId: ToolCallId): void {
    const { chat, session, turnId } = place;
    const toolCall = this.#findPending(chat, toolCallId);
    if (toolCall === undefined) return;
    const request = { kind: "toolConfirmation", id, chat, turnId, toolCall } as const;
    place.tell({ to: "session", action: { type: "session/inputNeededSet", request } });
    const state = this.#hub.state(session, "session");
    if (state !== undefined) this.#watchers.tell(state, { type: "approval_needed", turnId, toolCall });
  }

  #findPending(chat: ChatUri, toolCallId: ToolCallId): PendingToolCall | undefined {
    const turn = this.#hub.state(chat, "chat")?.activeTurn;
    if (turn === undefined) return undefined;
    for (const part of turnParts(turn)) {
      if (
        part.kind === "toolCall" &&
        part.toolCall.toolCallId === toolCallId &&
        part.toolCall.status === "pending-confirmation"
      ) {
        return part.toolCall;
      }
    }
    return undefined;
  }
}
