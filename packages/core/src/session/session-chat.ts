// The chat of a session: in memory while it is in use, found again among what is kept when it is not.
import { createHash } from "node:crypto";
import {
  type ActiveTurn,
  type ChatAction,
  type ChatState,
  type ChatUri,
  type JoinedMessage,
  type RequestMark,
  type ToolCall,
  type Turn,
  type TurnId,
  findToolCall,
  joinedMessages,
  makeId,
  pendingMessages,
} from "@holdfast/ahp";
import { type ChatRequest, HostError } from "@holdfast/protocol";
import { estimateValueBytes } from "../channel/action-size.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin, LogEntry } from "../channel/log-entry.ts";
import type { Storage } from "../ports.ts";
import { CommandCalls } from "./command-calls.ts";
import type { SessionDeps } from "./session-deps.ts";
import { TurnText } from "./turn-text.ts";

/** How much of the turns that ended stays in memory, by estimate; above it, the older half goes (N420). */
const maxTurnsBytes = 256 * 1024;

const turnEnds: ReadonlySet<ChatAction["type"]> = new Set([
  "chat/turnComplete",
  "chat/turnCancelled",
  "chat/error",
  "chat/turnInterrupted",
]);

/** The chat of one session. */
export class SessionChat {
  readonly uri: ChatUri;
  readonly #hub: Hub;
  readonly #storage: Storage;
  readonly #onLoaded: () => void;
  /** The size of each turn in memory; a turn that ended never changes. */
  readonly #turnBytes = new WeakMap<Turn, number>();
  readonly #turnText: TurnText;
  readonly #commandCalls = new CommandCalls();
  #isClosed = false;

  /** `onLoaded` is called when it is loaded into memory, so that the session unloads it again. */
  constructor(
    uri: ChatUri,
    deps: Pick<SessionDeps, "hub" | "storage" | "turnTextBytes">,
    onLoaded: () => void,
  ) {
    this.uri = uri;
    this.#hub = deps.hub;
    this.#storage = deps.storage;
    this.#turnText = new TurnText(deps.turnTextBytes);
    this.#onLoaded = onLoaded;
  }

  /** Its state, brought into memory if it is not there. */
  get state(): ChatState {
    this.load();
    const state = this.#hub.state(this.uri, "chat");
    if (state === undefined) throw new HostError("ACP_SESSION_NOT_FOUND");
    return state;
  }

  /** The running turn. */
  get activeTurn(): ActiveTurn | undefined {
    return this.#hub.state(this.uri, "chat")?.activeTurn;
  }

  /** A tool call of the running turn. */
  toolCall(toolCallId: string): ToolCall | undefined {
    return findToolCall(this.activeTurn, toolCallId);
  }

  /** The one unfinished call of the running turn that runs commands, when there is exactly one. */
  get soleCommandCall(): ToolCall | undefined {
    return this.#commandCalls.findSole(this.activeTurn);
  }

  /** Applies an action and keeps the state within its bounds. */
  write(action: ChatAction, origin?: ActionOrigin): LogEntry | undefined {
    this.load();
    const entry = this.#hub.dispatch(this.uri, action, origin);
    this.#commandCalls.note(action);
    this.#boundText(action);
    if (turnEnds.has(action.type)) this.boundTurns();
    return entry;
  }

  /** Continues with the turn of an earlier host, which is in memory already. */
  resumeTurn(): void {
    const { activeTurn } = this;
    if (activeTurn === undefined) return;
    this.#commandCalls.resume(activeTurn);
    this.#turnText.note({ type: "chat/turnResume", turnId: activeTurn.id }, () => this.activeTurn);
  }

  /** Loads it into memory. */
  load(): void {
    if (this.#isClosed || this.#hub.has(this.uri)) return;
    const stored = this.#storage.loadChannel(this.uri);
    if (stored?.kind !== "chat" || !stored.isOpen) return;
    this.#hub.restore(this.uri, "chat", stored.state);
    // A chat in which messages wait is never unloaded, so these were sent to a host that was killed.
    dropPending(this.#hub, stored.state);
    this.boundTurns();
    this.#onLoaded();
  }

  /** Lets older turns leave the state when there are too many; they are read from the storage. */
  boundTurns(): void {
    const turns = this.#hub.state(this.uri, "chat")?.turns ?? [];
    let sizeBytes = 0;
    let firstKept = turns.length;
    for (let index = turns.length - 1; index >= 0; index -= 1) {
      const turn = turns[index];
      if (turn !== undefined) sizeBytes += this.#sizeOf(turn);
      if (sizeBytes <= maxTurnsBytes / 2) firstKept = index;
    }
    const first = turns[Math.min(firstKept, turns.length - 2)];
    // While nothing can be recorded, memory is the only place that has them for certain.
    if (sizeBytes <= maxTurnsBytes || first === undefined || !this.#hub.recording.isStoring) return;
    this.#hub.dispatch(this.uri, { type: "chat/turnsOmitted", firstTurnId: first.id });
  }

  /** Unloads it if nobody reads it; gives whether it is out of memory. */
  unload(): boolean {
    return !this.#hub.has(this.uri) || this.#hub.unload(this.uri);
  }

  /** Closes its channel, in memory or not; it does not come back. */
  close(): void {
    this.load();
    this.#isClosed = true;
    if (this.#hub.has(this.uri)) this.#hub.close(this.uri);
  }

  /** A turn that has ended, in memory or not. */
  endedTurn(turnId: TurnId): Turn | undefined {
    const inMemory = this.state.turns.findLast(({ id }) => id === turnId);
    return inMemory ?? this.#storage.findOmittedTurn(this.uri, { turnId });
  }

  /** Whether a turn runs or has ended, or its message has joined another. */
  hasBegun(turnId: TurnId): boolean {
    const begun = this.turnOf(turnId);
    return this.state.activeTurn?.id === begun || this.endedTurn(begun) !== undefined;
  }

  /** The turn that a message is in: its own, or the one that it joined while it waited (N871). */
  turnOf(turnId: TurnId): TurnId {
    const id = makeId("pending message", turnId);
    return this.#findJoined((joined) => joined.id === id) ?? turnId;
  }

  #findJoined(fits: (joined: JoinedMessage) => boolean): TurnId | undefined {
    const { activeTurn, turns } = this.state;
    const all = activeTurn === undefined ? turns : [...turns, activeTurn];
    return all.findLast((turn) => joinedMessages(turn).some(fits))?.id;
  }

  /** The turn that a message is or was, if it was sent before under the same name. */
  findRepeated({ key, digest }: RequestMark): TurnId | undefined {
    const { activeTurn, turns } = this.state;
    const check = (mark: RequestMark | undefined): boolean => {
      if (mark?.key !== key) return false;
      if (mark.digest !== digest) throw new HostError("IDEMPOTENCY_CONFLICT");
      return true;
    };
    if (activeTurn !== undefined && check(activeTurn.message.request)) {
      return activeTurn.id;
    }
    const waiting = pendingMessages(this.state).find(({ message }) => check(message.request));
    // A message that waits has the name of the turn that it will be.
    if (waiting !== undefined) return makeId("turn", waiting.id);
    const joined = this.#findJoined(({ request }) => check(request));
    if (joined !== undefined) return joined;
    const ended =
      turns.findLast(({ message }) => check(message.request)) ??
      this.#storage.findOmittedTurn(this.uri, { requestKey: key });
    check(ended?.message.request);
    return ended?.id;
  }

  #boundText(action: ChatAction): void {
    const activeTurn = (): ActiveTurn | undefined => this.activeTurn;
    this.#turnText.note(action, activeTurn);
    const turnId = this.#turnText.isAboveLimit ? this.activeTurn?.id : undefined;
    if (turnId === undefined) return;
    for (const omission of this.#turnText.trim(turnId, activeTurn)) this.#hub.dispatch(this.uri, omission);
  }

  #sizeOf(turn: Turn): number {
    const sizeBytes = this.#turnBytes.get(turn) ?? estimateValueBytes(turn);
    this.#turnBytes.set(turn, sizeBytes);
    return sizeBytes;
  }
}

/** Drops the messages that wait in a chat of an earlier host. */
export function dropPending(hub: Hub, chat: ChatState): void {
  for (const each of pendingMessages(chat)) {
    const kind = each === chat.steeringMessage ? "steering" : "queued";
    hub.dispatch(chat.resource, { type: "chat/pendingMessageRemoved", kind, id: each.id });
  }
}

/** The mark of a message that its sender may send again. */
export function markRequest(key: string, { message, attachments = [] }: ChatRequest): RequestMark {
  const digest = createHash("sha256")
    .update(JSON.stringify([message, attachments]))
    .digest("base64url");
  return { key, digest };
}
