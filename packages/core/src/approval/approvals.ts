// The host's queue of open questions: many at once, answerable from any connection, the first answer counts.
import {
  type Actor,
  type ApprovalDecision,
  type ApprovalId,
  type ApprovalOption,
  type ApprovalSubject,
  type ChatUri,
  findToolCall,
  type InputRequest,
  makeId,
  type PendingToolCall,
  type SessionInputRequest,
  type SessionKey,
  type SessionUri,
  type Timestamp,
  type ToolCallDetails,
  type ToolCallId,
  type TurnId,
} from "@holdfast/ahp";
import type { Translated } from "../agent/session-updates.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { HostWatchers } from "../host-watchers.ts";
import { outcomeOf, pickOption } from "../rules/approval-rules.ts";
import { ExpiryWatch } from "./expiry-watch.ts";

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
  readonly id: ApprovalId;
  readonly place: ApprovalPlace;
  readonly toolCallId: ToolCallId;
  readonly action: string;
  readonly subject: ApprovalSubject;
  /** The subject in one text. */
  readonly target: string;
  readonly source: "host" | "agent";
  /** The agent's title for it; absent for the host's own questions. */
  readonly agentTitle?: string | undefined;
  readonly options: readonly ApprovalOption[];
  /** The call where no turn runs that could hold it: the question is the session's. */
  readonly loose?: Pick<ToolCallDetails, "toolName" | "displayName" | "toolKind" | "contributor"> | undefined;
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
  readonly isLoose: boolean;
  readonly resolve: (decision: ApprovalDecision) => void;
  readonly decided: Promise<ApprovalDecision>;
}

/** All open questions of a host. `close` cancels them. */
export class Approvals {
  readonly #hub: Hub;
  readonly #now: () => Date;
  readonly #expiryMs: number;
  readonly #watchers: HostWatchers;
  readonly #open = new Map<string, Entry>();
  /** Questions of an earlier host, for the requests that asked them. */
  readonly #restored = new Map<string, Promise<ApprovalDecision>>();
  readonly #expiry: ExpiryWatch;

  constructor(hub: Hub, now: () => Date, expiryMs: number, watchers: HostWatchers) {
    this.#hub = hub;
    this.#now = now;
    this.#expiryMs = expiryMs;
    this.#watchers = watchers;
    this.#expiry = new ExpiryWatch(
      now,
      () => this.#open.values(),
      () => this.expireDue(),
    );
  }

  /** Asks all clients that can answer. */
  ask(request: ApprovalRequest): AskedApproval {
    const { id, place, action, target, options, subject, source, agentTitle, loose } = request;
    const earlier = this.#restored.get(id);
    if (earlier !== undefined) {
      this.#restored.delete(id);
      return { id, decided: earlier };
    }
    // AHP clients name a question by its call alone; that of a session has no call in a turn.
    const toolCallId = loose === undefined ? request.toolCallId : makeId("tool call", id);
    const requestedAt = this.#now();
    const expiresAt = new Date(requestedAt.getTime() + this.#expiryMs).toISOString();
    const times = { requestedAt: requestedAt.toISOString(), expiresAt };
    const about = { subject, source, ...(agentTitle !== undefined && { agentTitle }) };
    const approval = { id, action, target, options, ...times, ...about };
    const { turnId } = place;
    if (loose === undefined) {
      const confirmation = { kind: "needed", approval } as const;
      const ready = { type: "chat/toolCallReady", turnId, toolCallId, confirmation } as const;
      place.dispatch({ to: "chat", action: { ...ready, invocationMessage: target } });
    }
    const call =
      loose === undefined
        ? this.#findPending(place.chat, toolCallId)
        : ({
            ...loose,
            toolCallId,
            invocationMessage: target,
            locations: [],
            content: [],
            decisions: [],
            status: "pending-confirmation",
            approval,
          } as const);
    if (call !== undefined) this.#listInSession(place, call);
    const isLoose = loose !== undefined;
    return { id, decided: this.#add({ id, place, toolCallId, action, target, options, expiresAt, isLoose }) };
  }

  /** Opens a question of an earlier host again: it may be decided before the agent's request is handled again. */
  restore(place: ApprovalPlace, { toolCallId, approval }: PendingToolCall, isLoose: boolean): void {
    const { id, action, target, options } = approval;
    const { expiresAt = new Date(this.#now().getTime() + this.#expiryMs).toISOString() } = approval;
    const decided = this.#add({ id, place, toolCallId, action, target, options, expiresAt, isLoose });
    this.#restored.set(id, decided);
  }

  /** Whether a question was restored whose request has not come again. */
  isRestored(id: ApprovalId): boolean {
    return this.#restored.has(id);
  }

  /** Another question than `id` that is open for a tool call of the running turn. */
  findOther(id: ApprovalId, chat: ChatUri, toolCallId: string): AskedApproval | undefined {
    return [...this.#open.values()].find(
      (entry) => entry.toolCallId === toolCallId && entry.place.chat === chat && entry.id !== id,
    );
  }

  #add(approval: Omit<Entry, "resolve" | "decided">): Promise<ApprovalDecision> {
    let resolve: Entry["resolve"] = () => {};
    const decided = new Promise<ApprovalDecision>((settle) => {
      resolve = settle;
    });
    this.#open.set(approval.id, { ...approval, resolve, decided });
    this.#expiry.update();
    return decided;
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
      if (entry.place.turnId !== turnId || entry.isLoose) continue;
      this.#decide(entry, { outcome: "cancelled", by });
    }
  }

  /** Denies what is past its time by the clock, whatever became of the timer. */
  expireDue(): void {
    const nowMs = this.#now().getTime();
    for (const entry of this.#open.values()) {
      if (Date.parse(entry.expiresAt) > nowMs) continue;
      this.choose(entry.id, pickOption(entry.options, "reject"), { kind: "expiry" });
    }
  }

  close(): void {
    this.#expiry.close();
    for (const entry of this.#open.values()) {
      this.#decide(entry, { outcome: "cancelled", by: { kind: "host" } });
    }
  }

  #decide(
    entry: Entry,
    made: Omit<ApprovalDecision, "approvalId" | "at">,
    origin?: ActionOrigin,
  ): LogEntry | undefined {
    this.#open.delete(entry.id);
    const decision: ApprovalDecision = { ...made, approvalId: entry.id, at: this.#now().toISOString() };
    const { place, toolCallId, isLoose } = entry;
    const { turnId } = place;
    const action = { type: "chat/toolCallConfirmed", turnId, toolCallId, decision } as const;
    const logged = isLoose ? undefined : place.dispatch({ to: "chat", action }, origin);
    place.dispatch({ to: "session", action: { type: "session/inputNeededRemoved", id: entry.id } });
    entry.resolve(decision);
    return logged;
  }

  #listInSession(place: ApprovalPlace, toolCall: PendingToolCall): void {
    const { chat, session, turnId } = place;
    const { id } = toolCall.approval;
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
