// Shared by all parts of a session: its names, its state, the host's parts, and the one way to publish.
import type {
  ApprovalPolicy,
  ChatUri,
  SessionAction,
  SessionKey,
  SessionState,
  SessionUri,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import { HeldTerminals } from "@holdfast/terminal/acp-parts";
import type { AgentEntry } from "../agent/agent-entry.ts";
import type { Translated } from "../agent/session-updates.ts";
import type { ApprovalPlace } from "../approval/approvals.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { HostTerminal } from "../terminal/host-terminal.ts";
import { SessionChat } from "./session-chat.ts";
import type { SessionDeps } from "./session-deps.ts";
import { SessionSandbox } from "./session-sandbox.ts";
import { SessionSummaries } from "./session-summaries.ts";
import type { Turn } from "./turn.ts";

/** The names of a session. */
export interface SessionNames {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  readonly entry: AgentEntry;
}

/** The context of one session. */
export class SessionContext {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly entry: AgentEntry;
  readonly deps: SessionDeps;
  readonly chat: SessionChat;
  readonly held = new HeldTerminals<HostTerminal>();
  readonly sandbox: SessionSandbox;
  /** Somebody uses the session. */
  readonly touch: () => void;
  /** The turn that began last, over or not; `SessionTurns` sets it. */
  turn: Turn | undefined;
  /** Why the session takes nothing on any more: the host stops, or the session is closed. */
  ending: "suspended" | "closed" | undefined;
  readonly #summaries: SessionSummaries;

  constructor(names: SessionNames, deps: SessionDeps, touch: () => void) {
    this.key = names.key;
    this.uri = names.uri;
    this.entry = names.entry;
    this.deps = deps;
    this.touch = touch;
    this.chat = new SessionChat(names.chat, deps, touch);
    this.sandbox = new SessionSandbox(this);
    this.#summaries = new SessionSummaries(deps.hub, names.uri, names.chat);
  }

  /** The state of the session's channel. */
  get state(): SessionState {
    const state = this.deps.hub.state(this.uri, "session");
    if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return state;
  }

  /** Where the agent and its commands run. */
  get cwd(): string {
    return this.state.runtimeOptions.cwd ?? "/";
  }

  /** The folders that the agent may work in: a session that was moved in mid-turn is elsewhere only from the next turn on. */
  get roots(): readonly string[] {
    return [this.state.backendCwd ?? this.cwd];
  }

  get policy(): ApprovalPolicy | undefined {
    return this.state.runtimeOptions.approvalPolicy;
  }

  /** Whether there is any history that the agent could lose, in an earlier turn or in the current one. */
  get hasHistory(): boolean {
    const { turns, activeTurn } = this.chat.state;
    if (turns.length > 0 || activeTurn === undefined) return turns.length > 0;
    return activeTurn.openPart !== undefined || activeTurn.responseParts.length > 0;
  }

  /** The running turn, or undefined when there is none to ask in. */
  get openTurn(): Turn | undefined {
    const { turn } = this;
    return turn === undefined || turn.isOver || turn.wasCancelled ? undefined : turn;
  }

  /** The place of a question of a turn. */
  placeOf(turn: Turn): ApprovalPlace {
    return {
      session: this.uri,
      key: this.key,
      chat: this.chat.uri,
      turnId: turn.id,
      dispatch: (translated, origin) => this.dispatch(translated, origin),
    };
  }

  now(): Date {
    return this.deps.now();
  }

  warn(message: string): void {
    this.deps.log("warn", message, { session: this.key });
  }

  redact(text: string): string {
    return this.deps.redact?.(text) ?? text;
  }

  /** Publishes an action of the chat or the session, after the text that the turn has gathered so far. */
  dispatch(translated: Translated, origin?: ActionOrigin): LogEntry | undefined {
    this.turn?.flush();
    return this.append(translated, origin);
  }

  /** Publishes an action at once; summaries follow, but not for every piece of text. */
  append({ to, action }: Translated, origin?: ActionOrigin): LogEntry | undefined {
    const entry =
      to === "chat" ? this.chat.write(action, origin) : this.deps.hub.dispatch(this.uri, action, origin);
    if (action.type !== "chat/delta" && action.type !== "chat/reasoning") this.#summaries.update();
    return entry;
  }

  publish(action: SessionAction): void {
    this.dispatch({ to: "session", action });
    // An agent that could not be reached is reported with the end of its turn.
    if (action.type === "session/stale" && action.cause === "agent-exited" && action.error !== undefined) {
      this.deps.watchers.notify(this.state, { type: "session_error", error: action.error });
    }
  }

  /** Throws when the session takes nothing on any more. */
  checkOpen(): void {
    if (this.ending === "suspended") throw new HostError("HOST_STOPPING");
    if (this.ending === "closed") throw new HostError("ACP_SESSION_NOT_FOUND");
  }
}
