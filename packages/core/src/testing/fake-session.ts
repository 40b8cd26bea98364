// One session with a fake agent, as a test drives it.
import {
  type ChatState,
  type RuntimeOptions,
  type SessionState,
  type SessionUri,
  type ToolCall,
  type Turn,
  defaultChatUri,
  turnParts,
} from "@holdfast/ahp";
import type { ChatResponse, PermissionDecision, SessionStatus } from "@holdfast/protocol";
import type { Host } from "../host.ts";
import type { TurnRequest } from "../session/session-turns.ts";
import type { AgentRecord } from "./agent-record.ts";
import { uriOfKey } from "./session-uri.ts";
import { WatchedTurn } from "./watched-turn.ts";

const me = { kind: "owner" } as const;

/** A session of a test. */
export class FakeSession {
  readonly key: string;
  readonly agent: AgentRecord;
  readonly #host: Host;

  constructor(host: Host, key: string, agent: AgentRecord) {
    this.#host = host;
    this.key = key;
    this.agent = agent;
  }

  get #uri(): SessionUri {
    return uriOfKey(this.key);
  }

  get status(): SessionStatus {
    return this.#host.getSession(this.key, me);
  }

  get state(): SessionState {
    return present(this.#host.hub.state(this.#uri, "session"));
  }

  get chatState(): ChatState {
    return present(this.#host.hub.state(defaultChatUri(this.#uri), "chat"));
  }

  /** The turn that ended last. */
  get lastTurn(): Turn {
    return present(this.chatState.turns.at(-1));
  }

  /** The tool calls of the turn that ended last, or of the one that runs. */
  get toolCalls(): readonly ToolCall[] {
    const turn = this.chatState.activeTurn ?? this.lastTurn;
    return turnParts(turn).flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
  }

  /** The agent's text in the turn that ended last. */
  get text(): string {
    return turnParts(this.lastTurn)
      .map((part) => (part.kind === "markdown" ? part.content : ""))
      .join("");
  }

  chat(message: string, more: Partial<TurnRequest> = {}): Promise<ChatResponse> {
    return this.#host.chat(this.key, { message, ...more }, me);
  }

  /** Starts a turn and watches it. */
  stream(message: string, more: Partial<TurnRequest> = {}): WatchedTurn {
    return new WatchedTurn((onReadable) =>
      this.#host.streamTurn(this.key, { message, ...more }, me, onReadable),
    );
  }

  /** Runs a streamed turn to its end. */
  async turn(message: string): Promise<WatchedTurn> {
    const turn = this.stream(message);
    await turn.ended;
    return turn;
  }

  cancel(reason?: string, turnId?: string): Promise<void> {
    return this.#host.cancelTurn(this.key, { reason, turnId }, me);
  }

  patch(options: RuntimeOptions): Promise<SessionStatus> {
    return this.#host.patchSession(this.key, options, me);
  }

  resolve(
    requestId: string,
    optionId: string,
    content?: PermissionDecision["content"],
  ): { resolved: boolean; reason?: string } {
    return this.#host.approvals.resolve(this.key, { requestId, optionId, content }, me);
  }

  close(reason?: string): Promise<void> {
    return this.#host.closeSession(this.key, reason, me);
  }

  reopen(): Promise<SessionStatus> {
    return this.#host.reopenSession(this.key, me);
  }
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("It is not there");
  return value;
}
