// Projections of actions to events: of one turn, and of all turns of a session.
import {
  type Action,
  type ActiveTurn,
  type ChatAction,
  type ChatState,
  chatUri,
  findToolCall,
  isUnfinished,
  makeId,
  newChatState,
  reduceChat,
  type SessionAction,
  type ToolCall,
  type ToolCallAction,
  type ToolCallChanges,
  type Turn,
  type TurnAction,
  type TurnEndAction,
  type TurnId,
  turnParts,
} from "@holdfast/ahp";
import { textDelta, type TurnEvent } from "@holdfast/protocol";
import { permissionRequest, permissionResolved, toolCallEvent } from "./tool-call-events.ts";
import {
  describeChatDetail,
  describeInputRequest,
  describePart,
  describePlan,
  describeSessionAction,
  endWithCode,
  endWithDone,
  endWithError,
  statusEvent,
} from "./turn-events.ts";

/** Turns actions, in their order, into events. */
export interface EventProjection {
  /** The turn in progress; its text needs no projection. */
  readonly turnId: TurnId | undefined;
  /** Whether no event follows. */
  readonly isOver: boolean;
  /** Whether nothing is left to wait for once everything was read. */
  readonly isIdle: boolean;
  project(action: Action): readonly TurnEvent[];
}

type PendingCall = Extract<ToolCall, { status: "pending-confirmation" }>;

/** The chat in which a projection reduces its turn alone; nobody subscribes to it. */
const ownChat = chatUri(makeId("chat", "projection"));

/**
 * Follows one turn through the actions of its chat and its session, given in their order.
 * It reduces everything but text with the model's reducer, so that a tool call looks as it does to every other client.
 * Its events depend on these actions alone: repeated from any place, they give the same events (A46).
 */
export class TurnProjection implements EventProjection {
  #turnId: TurnId;
  /** Requests that were sent, so that their resolution is sent too. */
  readonly #asked = new Set<string>();
  /** Absent until the turn begins. */
  #chat: ChatState | undefined;
  /** The newest place of its message while it waits; absent until that changes. */
  #place: "queued" | "steering" | undefined;
  #isOver = false;

  constructor(turnId: TurnId) {
    this.#turnId = turnId;
  }

  /** Its turn, or the one that its message joined. */
  get turnId(): TurnId {
    return this.#turnId;
  }

  /** Whether `close` was sent; nothing comes after it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get isIdle(): boolean {
    return this.#isOver;
  }

  /** The events for the next action, in their order. */
  project(action: Action): readonly TurnEvent[] {
    if (this.#isOver) return [];
    if (isOfChat(action)) return this.#projectChat(action);
    if (!isOfSession(action)) return [];
    if (action.type === "session/closed") return this.#end(endWithCode("ACP_SESSION_NOT_FOUND"));
    // Everything before the turn began belongs to the previous turn.
    return this.#chat === undefined ? [] : describeSessionAction(action);
  }

  #projectChat(action: ChatAction): readonly TurnEvent[] {
    if (this.#chat === undefined && action.type === "chat/responsePart") this.#join(action);
    if ("turnId" in action && action.turnId !== this.turnId) return [];
    if (this.#chat === undefined) return this.#awaitStart(action);
    switch (action.type) {
      case "chat/delta":
        return [textDelta(action.content, "output", action.partId)];
      case "chat/reasoning":
        return [textDelta(action.content, "thought", action.partId)];
      case "chat/responsePart":
        return describePart(action.part);
      case "chat/toolCallStart":
      case "chat/toolCallUpdated":
      case "chat/toolCallReady":
      case "chat/toolCallConfirmed":
      case "chat/toolCallContentChanged":
      case "chat/toolCallComplete":
      case "chat/toolCallTerminalExited":
        return this.#projectToolCall(this.#chat, action);
      case "chat/inputRequested":
        this.#asked.add(action.request.id);
        return [describeInputRequest(action.request)];
      case "chat/inputCompleted":
        return this.#asked.delete(action.requestId) ? [describeAnswer(action)] : [];
      case "chat/planChanged":
        return [describePlan(action.plan)];
      case "chat/planRemoved":
        return [statusEvent("plan", "The plan was dropped", { entries: [], planId: action.planId })];
      case "chat/usage":
        this.#chat = reduceChat(this.#chat, action);
        return [statusEvent("usage_update", "Tokens used", { breakdown: this.#chat.activeTurn?.usage })];
      case "chat/turnComplete":
      case "chat/turnCancelled":
      case "chat/error":
      case "chat/turnInterrupted":
        return this.#endTurn(this.#chat, action);
      default:
        return describeChatDetail(action);
    }
  }

  /** Follows the running turn from where the message of this one joined it (N871). */
  #join({ turnId, part }: Extract<ChatAction, { type: "chat/responsePart" }>): void {
    if (part.kind !== "systemNotification" || String(part.joined?.id) !== String(this.turnId)) return;
    const { at, description: text = "" } = part.notice;
    const chat = newChatState({ resource: ownChat, title: "", at });
    const message = { text, origin: { kind: "user" } } as const;
    this.#turnId = turnId;
    this.#chat = reduceChat(chat, { type: "chat/turnStarted", turnId, startedAt: at, message });
  }

  /** A turn that waits in line has its id for its message's id too; taken out of the line, it never begins (A36). */
  #awaitStart(action: ChatAction): readonly TurnEvent[] {
    if (action.type === "chat/turnStarted") {
      this.#chat = reduceChat(newChatState({ resource: ownChat, title: "", at: action.startedAt }), action);
    }
    if (action.type === "chat/pendingMessageSet" && String(action.pending.id) === String(this.turnId)) {
      this.#place = action.kind;
    }
    const isDropped =
      action.type === "chat/pendingMessageRemoved" &&
      String(action.id) === String(this.turnId) &&
      action.kind === (this.#place ?? action.kind);
    return isDropped ? this.#end(endWithDone("cancelled")) : [];
  }

  #projectToolCall(chat: ChatState, action: ToolCallAction): readonly TurnEvent[] {
    const before = findToolCall(chat.activeTurn, action.toolCallId);
    this.#chat = reduceChat(chat, action);
    const call = findToolCall(this.#chat.activeTurn, action.toolCallId);
    if (call === undefined || call === before) return [];
    switch (action.type) {
      case "chat/toolCallStart":
        return [toolCallEvent(call, "tool_call")];
      case "chat/toolCallReady":
        if (call.status === "pending-confirmation") return this.#ask(call);
        // A policy denied it: there is a decision, and never was a question.
        if (action.confirmation.kind === "denied") {
          return [permissionResolved(action.confirmation.decision), toolCallEvent(call, "tool_call_update")];
        }
        // To a follower the call runs before and after: only a new input is news.
        return call.rawInput === before?.rawInput ? [] : [toolCallEvent(call, "tool_call_update")];
      case "chat/toolCallConfirmed":
        return [
          ...(this.#asked.delete(action.decision.approvalId) ? [permissionResolved(action.decision)] : []),
          ...(call.status === "cancelled" ? [toolCallEvent(call, "tool_call_update")] : []),
        ];
      case "chat/toolCallUpdated":
        return saysNothingNew(before, action.changes) ? [] : [toolCallEvent(call, "tool_call_update")];
      case "chat/toolCallContentChanged":
      case "chat/toolCallComplete":
      case "chat/toolCallTerminalExited":
        return [toolCallEvent(call, "tool_call_update")];
    }
  }

  #ask(call: PendingCall): readonly TurnEvent[] {
    const { approval } = call;
    if (this.#asked.has(approval.id)) return [];
    this.#asked.add(approval.id);
    return [permissionRequest(call, approval)];
  }

  /** A turn that failed or was interrupted may be resumed, with everything before kept. */
  resume(action: Extract<TurnAction, { type: "chat/turnResume" }>): void {
    if (this.#chat === undefined || action.turnId !== this.turnId) return;
    this.#chat = reduceChat(this.#chat, action);
    this.#isOver = this.#chat.activeTurn === undefined;
  }

  #endTurn(chat: ChatState, action: TurnEndAction): readonly TurnEvent[] {
    this.#chat = reduceChat(chat, action);
    return this.#end(describeEnd(chat, this.#chat.turns.at(-1), action));
  }

  #end(events: readonly TurnEvent[]): readonly TurnEvent[] {
    this.#isOver = true;
    return events;
  }
}

function isOfChat(action: Action): action is ChatAction {
  return action.type.startsWith("chat/");
}

function isOfSession(action: Action): action is SessionAction {
  return action.type.startsWith("session/");
}

function callsOf(turn: ActiveTurn | Turn | undefined): ToolCall[] {
  if (turn === undefined) return [];
  return turnParts(turn).flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
}

/** Agents often describe a call once more as they did before. */
function saysNothingNew(call: ToolCall | undefined, changes: ToolCallChanges): boolean {
  const known = Object.entries(call ?? {}).filter(([name]) => name in changes);
  const before = Object.fromEntries(known.map(([name, value]) => [name, JSON.stringify(value)]));
  return Object.entries(changes).every(([name, value]) => before[name] === JSON.stringify(value));
}

function describeAnswer(action: Extract<ChatAction, { type: "chat/inputCompleted" }>): TurnEvent {
  const { requestId, response } = action;
  return statusEvent("input_resolved", `Question answered: ${response}`, { requestId, response });
}

/** The end of a turn; its unfinished calls are reported first, so that none runs forever on a screen. */
function describeEnd(chat: ChatState, ended: Turn | undefined, action: TurnEndAction): TurnEvent[] {
  const unfinished = new Set(
    callsOf(chat.activeTurn)
      .filter(isUnfinished)
      .map((call) => call.toolCallId),
  );
  const abandoned = callsOf(ended)
    .filter((call) => unfinished.has(call.toolCallId))
    .map((call) => toolCallEvent(call, "tool_call_update"));
  switch (action.type) {
    case "chat/turnComplete":
      return [...abandoned, ...endWithDone(action.stopReason, ended?.usage)];
    case "chat/turnCancelled":
      return [...abandoned, ...endWithDone("cancelled", ended?.usage)];
    case "chat/error":
    case "chat/turnInterrupted":
      return [...abandoned, ...endWithError(action.error)];
  }
}

type StartAction = Extract<TurnAction, { type: "chat/turnStarted" }>;

/** Follows all turns of a session; each begins with a status that names it, and ends as it would alone (A47). */
export class SessionProjection implements EventProjection {
  readonly #isBusy: () => boolean;
  #turn: TurnProjection | undefined;

  /** `isBusy` says whether a turn runs or waits. */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
  }

  get turnId(): TurnId | undefined {
    return this.#turn === undefined || this.#turn.isOver ? undefined : this.#turn.turnId;
  }

  /** There may always be another turn. */
  get isOver(): boolean {
    return false;
  }

  get isIdle(): boolean {
    return this.turnId === undefined && !this.#isBusy();
  }

  project(action: Action): readonly TurnEvent[] {
    switch (action.type) {
      case "chat/turnStarted":
        this.#turn = new TurnProjection(action.turnId);
        return [describeStart(action), ...this.#turn.project(action)];
      case "chat/turnResume":
        this.#turn?.resume(action);
        return this.turnId === action.turnId ? [describeResume(action.turnId)] : [];
      default:
        return this.#turn?.project(action) ?? [];
    }
  }
}

function describeStart({ turnId, startedAt, message }: StartAction): TurnEvent {
  return statusEvent("turn_started", message.text, { turnId, startedAt });
}

function describeResume(turnId: TurnId): TurnEvent {
  return statusEvent("turn_resumed", "The turn continues", { turnId });
}
