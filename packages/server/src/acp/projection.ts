// Projection of a session's actions to ACP updates; repeated from the beginning of a turn, it gives the same updates.
import {
  type Action,
  type ChatAction,
  type ChatState,
  chatUri,
  findToolCall,
  isUnfinished,
  makeId,
  newChatState,
  reduceChat,
  type SessionAction,
  type SessionInputRequest,
  type SessionState,
  type ToolCall,
  type ToolCallAction,
  type Turn,
  type TurnAction,
  type TurnEndAction,
  type TurnEnd,
  turnEndOf,
  turnParts,
} from "@holdfast/ahp";
import type { EditorFeatures } from "./features.ts";
import { commandsUpdate, optionsUpdate, titleUpdate } from "./session-state.ts";
import {
  announceCall,
  type SessionUpdate,
  showContent,
  type TerminalContent,
  terminalsOf,
  type TerminalView,
  updateCall,
} from "./tool-call.ts";
import { partUpdate, planUpdate, textUpdate, userMessage } from "./turn-update.ts";

/** The meaning of an action for an editor. */
export interface Projected {
  readonly updates: readonly SessionUpdate[];
  /** A turn that ended, with the messages that joined it, or a queued message that never becomes one. */
  readonly ended?: readonly EndedTurn[];
}

export interface EndedTurn {
  readonly turnId: string;
  readonly end: TurnEnd;
  readonly usage?: Turn["usage"];
}

export interface ProjectionParts {
  readonly features: EditorFeatures;
  readonly view: TerminalView;
  /** Whether the editor began a turn, so that it shows the message already. */
  readonly isOwnTurn: (turnId: string) => boolean;
  /** The session as it is now: settings are sent as a whole. */
  readonly session: () => SessionState | undefined;
  /** Called when a call shows a terminal for the first time. */
  readonly onTerminal: (call: ToolCall, content: TerminalContent) => void;
}

const NOTHING: Projected = { updates: [] };
/** The chat in which a projection reduces its turn alone; nobody subscribes to it. */
const ownChat = chatUri(makeId("chat", "projection"));

/** Follows a session for one editor. */
export class SessionProjection {
  readonly #parts: ProjectionParts;
  /** Questions that wait for a person, by their ids. */
  readonly #questions = new Map<string, SessionInputRequest>();
  /** The newest place of each message that waits, as far as the log was read. */
  readonly #places = new Map<string, "queued" | "steering">();
  /** The turns that waiting messages joined, by the ids of the messages. */
  readonly #joined = new Map<string, string>();
  #chat: ChatState | undefined;

  constructor(parts: ProjectionParts) {
    this.#parts = parts;
  }

  get questions(): ReadonlyMap<string, SessionInputRequest> {
    return this.#questions;
  }

  /** The content of a call of the turn as it stands, for an update of a terminal in it. */
  contentOf(toolCallId: string): object[] | undefined {
    const turn = this.#chat?.activeTurn ?? this.#chat?.turns.at(-1);
    const call = turn && callsOf(turn).find((each) => each.toolCallId === toolCallId);
    return call && showContent(call, this.#parts.view);
  }

  /** Continues from a state, where the actions before it are not there any more. */
  restart(chat: ChatState, { inputNeeded }: SessionState): void {
    this.#chat = chat;
    this.#questions.clear();
    this.#places.clear();
    this.#joined.clear();
    for (const request of inputNeeded) this.#questions.set(request.id, request);
  }

  project(action: Action): Projected {
    if (action.type.startsWith("session/")) return this.#projectSession(action as SessionAction);
    return action.type.startsWith("chat/") ? this.#projectChat(action as ChatAction) : NOTHING;
  }

  #projectSession(action: SessionAction): Projected {
    const { features } = this.#parts;
    switch (action.type) {
      case "session/inputNeededSet":
        this.#questions.set(action.request.id, action.request);
        return NOTHING;
      case "session/inputNeededRemoved":
        this.#questions.delete(action.id);
        return NOTHING;
      case "session/commandsChanged":
        return { updates: [commandsUpdate(action.commands)] };
      case "session/modeChanged":
        return { updates: [{ sessionUpdate: "current_mode_update", currentModeId: action.modeId }] };
      case "session/configOptionsChanged":
      case "session/configChanged":
        return this.#ofSession((state) => optionsUpdate(state, features));
      case "session/titleChanged":
      case "session/labelChanged":
        return this.#ofSession(titleUpdate);
      default:
        return NOTHING;
    }
  }

  #ofSession(show: (state: SessionState) => SessionUpdate): Projected {
    const state = this.#parts.session();
    return state === undefined ? NOTHING : { updates: [show(state)] };
  }

  #projectChat(action: ChatAction): Projected {
    const { features } = this.#parts;
    switch (action.type) {
      case "chat/turnStarted":
        return this.#start(action);
      case "chat/turnResume":
        if (this.#chat !== undefined) this.#chat = reduceChat(this.#chat, action);
        return NOTHING;
      case "chat/delta":
        return { updates: [textUpdate("markdown", action.content, action.partId)] };
      case "chat/reasoning":
        return { updates: [textUpdate("reasoning", action.content, action.partId)] };
      case "chat/responsePart":
        this.#noteJoined(action);
        return { updates: [partUpdate(action.part, features)] };
      case "chat/toolCallStart":
      case "chat/toolCallUpdated":
      case "chat/toolCallReady":
      case "chat/toolCallConfirmed":
      case "chat/toolCallContentChanged":
      case "chat/toolCallComplete":
        return this.#projectCall(action);
      case "chat/planChanged":
        return { updates: [planUpdate(action.plan)] };
      case "chat/planRemoved":
        return { updates: [{ sessionUpdate: "plan", entries: [] }] };
      case "chat/contextUsageChanged": {
        const { usedTokens: used, sizeTokens: size, cost } = action.contextUsage;
        return { updates: [{ sessionUpdate: "usage_update", used, size, ...(cost && { cost }) }] };
      }
      case "chat/agentUpdateReceived":
        // Editors need not know other kinds, and some fail on them.
        return action.updateKind === "notice" && features.notices
          ? { updates: [{ ...action.update, sessionUpdate: "notice" }] }
          : NOTHING;
      case "chat/usage":
        if (this.#chat !== undefined) this.#chat = reduceChat(this.#chat, action);
        return NOTHING;
      case "chat/pendingMessageSet":
        this.#places.set(action.pending.id, action.kind);
        return NOTHING;
      case "chat/pendingMessageRemoved":
        // A message that was moved is removed from the place that it had before (N850).
        if ((this.#places.get(action.id) ?? action.kind) !== action.kind) return NOTHING;
        this.#places.delete(action.id);
        if (this.#joined.has(action.id)) return NOTHING;
        return { updates: [], ended: [{ turnId: action.id, end: DROPPED }] };
      case "chat/turnComplete":
      case "chat/turnCancelled":
      case "chat/error":
      case "chat/turnInterrupted":
        return this.#end(action);
      default:
        return NOTHING;
    }
  }

  #start(action: Extract<TurnAction, { type: "chat/turnStarted" }>): Projected {
    const { turnId, startedAt, message, queuedMessageId } = action;
    if (queuedMessageId !== undefined) this.#places.delete(queuedMessageId);
    this.#chat = reduceChat(newChatState({ resource: ownChat, title: "", at: startedAt }), action);
    return this.#parts.isOwnTurn(turnId) ? NOTHING : { updates: userMessage(message, turnId) };
  }

  #projectCall(action: ToolCallAction): Projected {
    const { view } = this.#parts;
    if (this.#chat === undefined) return NOTHING;
    const before = findToolCall(this.#chat.activeTurn, action.toolCallId);
    this.#chat = reduceChat(this.#chat, action);
    const call = findToolCall(this.#chat.activeTurn, action.toolCallId);
    if (call === undefined || call === before) return NOTHING;
    const known = new Set(before && terminalsOf(before).map(({ resource }) => resource));
    const updates = before === undefined ? announceCall(call, view) : updateCall(before, call, view);
    for (const content of terminalsOf(call)) {
      if (!known.has(content.resource)) this.#parts.onTerminal(call, content);
    }
    return { updates };
  }

  /** Calls that did not get to their end are reported first, so that none runs forever on a screen. */
  #end(action: TurnEndAction): Projected {
    const chat = this.#chat;
    if (chat?.activeTurn?.id !== action.turnId) {
      return { updates: [], ended: this.#endsOf(action, undefined) };
    }
    const open = callsOf(chat.activeTurn).filter(isUnfinished);
    this.#chat = reduceChat(chat, action);
    const ended = this.#chat.turns.at(-1);
    const calls = new Map(ended && callsOf(ended).map((call) => [call.toolCallId, call]));
    const updates = open.flatMap((before) => {
      const call = calls.get(before.toolCallId);
      return call === undefined ? [] : updateCall(before, call, this.#parts.view);
    });
    return { updates: [...updates, ...this.#reportEnd(action)], ended: this.#endsOf(action, ended) };
  }

  #noteJoined({ turnId, part }: Extract<ChatAction, { type: "chat/responsePart" }>): void {
    const joined = part.kind === "systemNotification" ? part.joined : undefined;
    if (joined !== undefined) this.#joined.set(joined.id, turnId);
  }

  /** A prompt whose message joined the turn ends with it (N871). */
  #endsOf(action: TurnEndAction, turn: Turn | undefined): EndedTurn[] {
    const end = endOf(action, turn);
    const joined = [...this.#joined].filter(([, turnId]) => turnId === action.turnId);
    for (const [id] of joined) this.#joined.delete(id);
    return [end, ...joined.map(([id]) => ({ ...end, turnId: id }))];
  }

  /** The response to an editor's own prompt reports the end; ACP has nothing for a turn of another client (E811). */
  #reportEnd(action: TurnEndAction): SessionUpdate[] {
    if (this.#parts.isOwnTurn(action.turnId)) return [];
    const turnEnded = { turnId: action.turnId, ...describeEnd(turnEndOf(action)) };
    return [{ sessionUpdate: "session_info_update", _meta: { holdfast: { turnEnded } } }];
  }
}

/** A queued message that was taken out of the queue. */
const DROPPED: TurnEnd = { state: "cancelled", by: { kind: "host" } };

function callsOf(turn: Parameters<typeof turnParts>[0]): ToolCall[] {
  return turnParts(turn).flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
}

function describeEnd(end: TurnEnd): object {
  switch (end.state) {
    case "complete":
      return { stopReason: end.stopReason };
    case "cancelled":
      return { stopReason: "cancelled" };
    case "failed":
    case "interrupted":
      return { error: { code: end.error.code, message: end.error.message } };
  }
}

function endOf(action: TurnEndAction, turn: Turn | undefined): EndedTurn {
  const { turnId } = action;
  const usage = turn?.usage ?? (action.type === "chat/turnComplete" ? action.usage : undefined);
  return { turnId, end: turn?.end ?? turnEndOf(action), ...(usage !== undefined && { usage }) };
}
