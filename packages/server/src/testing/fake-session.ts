// A session of a fake host: its channels on the hub, and its turns, with the test in place of the agent.
import { randomUUID } from "node:crypto";
import {
  defaultChatUri,
  formatSessionKey,
  makeId,
  newChatState,
  newSessionState,
  sessionUri,
  turnParts,
  type ActiveTurn,
  type ChatUri,
  type SessionKey,
  type SessionOwner,
  type SessionUri,
} from "@holdfast/ahp";
import type { Hub, LogReader } from "@holdfast/core";
import {
  HostError,
  type PermissionDecision,
  type SessionOptions,
  type SessionStatus,
} from "@holdfast/protocol";
import type {
  Caller,
  FollowedSession,
  FollowRequest,
  HostPort,
  StreamedTurn,
  TurnRequest,
  WaitingQuestion,
} from "../host-port.ts";
import { at, FakeTurn, type TurnChannels } from "./fake-turn.ts";

/** One session. */
export class FakeSession implements TurnChannels {
  readonly key: SessionKey;
  readonly uri: SessionUri;
  readonly chat: ChatUri;
  status: SessionStatus;
  readonly #hub: Hub;
  readonly #owner: SessionOwner;
  readonly #turns: FakeTurn[] = [];
  /** Messages by idempotency key. */
  readonly #named = new Map<string, { readonly message: string; readonly turn: FakeTurn | undefined }>();
  /** The host's last number when it was opened. */
  readonly #openedSeq: number;

  constructor(hub: Hub, { approvalPolicy, cwd }: SessionOptions, caller: Caller) {
    const sessionId = makeId("session", randomUUID());
    this.#hub = hub;
    this.#owner = ownerOf(caller);
    this.#openedSeq = hub.lastSeq;
    this.key = formatSessionKey({ handle: "shell", sessionId });
    this.uri = sessionUri(sessionId);
    this.chat = defaultChatUri(this.uri);
    const { key, uri: resource } = this;
    const provider = makeId("agent", "shell");
    const opening = {
      resource,
      key,
      provider,
      owner: this.#owner,
      title: "Shell",
      at,
      workingDirectories: [],
    };
    hub.open(this.uri, "session", newSessionState(opening));
    hub.open(this.chat, "chat", newChatState({ resource: this.chat, title: "Shell", at }));
    this.status = {
      session_key: key,
      agent_id: "shell",
      state: "ready",
      backend_id: "backend",
      created_at: at,
      runtime_options: { ...(approvalPolicy && { approvalPolicy }), ...(cwd !== undefined && { cwd }) },
      last_activity_at: null,
    };
  }

  get activeTurn(): ActiveTurn | undefined {
    return this.#hub.state(this.chat, "chat")?.activeTurn;
  }

  isVisibleTo(caller: Caller): boolean {
    if (caller.kind === "owner") return true;
    return this.#owner.kind === "app" && this.#owner.appId === caller.appId;
  }

  /** Whether the message was sent under its name before; another one under that name is refused. */
  isRepeated({ message, idempotencyKey }: TurnRequest): boolean {
    const known = idempotencyKey === undefined ? undefined : this.#named.get(idempotencyKey);
    if (known !== undefined && known.message !== message) throw new HostError("IDEMPOTENCY_CONFLICT");
    return known !== undefined;
  }

  /** Remembers under which name a message was sent. */
  note({ message, idempotencyKey }: TurnRequest, turn?: FakeTurn): void {
    if (idempotencyKey !== undefined) this.#named.set(idempotencyKey, { message, turn });
  }

  /** The turn that a message began before, followed once more. */
  repeat(request: TurnRequest, onReadable: () => void): StreamedTurn | undefined {
    if (!this.isRepeated(request)) return undefined;
    const known = this.#named.get(request.idempotencyKey ?? "")?.turn;
    return known && { turnId: known.id, ...this.#resume(known.startSeq - 1, onReadable) };
  }

  /** Begins a turn. */
  start(request: TurnRequest, onReadable: () => void): FakeTurn {
    if (this.activeTurn !== undefined) throw new HostError("ACP_TURN_ACTIVE");
    const streamed = {
      turnId: makeId("turn", randomUUID()),
      chat: this.#hub.subscribe(this.chat, onReadable).cursor,
      session: this.#hub.subscribe(this.uri, onReadable).cursor,
    };
    const turn = new FakeTurn(this.#hub, this, streamed, request.message);
    this.#turns.push(turn);
    this.note(request, turn);
    turn.begin();
    return turn;
  }

  follow({ after = 0, turnId }: FollowRequest, onReadable: () => void): FollowedSession {
    const turn =
      turnId === undefined
        ? this.#turns.findLast(({ startSeq }) => startSeq <= after)
        : this.#turns.find(({ id }) => id === turnId);
    const isUnknown = turnId !== undefined && turn === undefined;
    if (isUnknown) throw new HostError("NOT_FOUND", "There is no such turn.");
    const beginning = turn === undefined ? this.#openedSeq : turn.startSeq - 1;
    return {
      ...this.#resume(beginning, onReadable),
      after,
      isBusy: () => this.activeTurn !== undefined,
    };
  }

  cancel(): void {
    const turn = this.activeTurn;
    if (turn === undefined) return;
    const end = { turnId: turn.id, endedAt: at, durationMs: 1, by: { kind: "host" } } as const;
    this.#hub.dispatch(this.chat, { type: "chat/turnCancelled", ...end });
  }

  /** The tool calls that wait for an answer. */
  waiting(): Extract<WaitingQuestion, { kind: "permission" }>[] {
    const turn = this.activeTurn;
    return (turn === undefined ? [] : turnParts(turn)).flatMap((part) =>
      part.kind === "toolCall" && part.toolCall.status === "pending-confirmation"
        ? [
            {
              kind: "permission" as const,
              sessionKey: this.key,
              requestedAt: part.toolCall.approval.requestedAt,
              toolCall: part.toolCall,
            },
          ]
        : [],
    );
  }

  resolve({ requestId, optionId }: PermissionDecision): ReturnType<HostPort["approvals"]["resolve"]> {
    const waiting = this.waiting().find(({ toolCall }) => toolCall.approval.id === requestId);
    const turn = this.activeTurn;
    if (waiting === undefined || turn === undefined) return { resolved: false, reason: "Not open." };
    const { toolCallId, approval } = waiting.toolCall;
    const by = { kind: "client", clientId: makeId("client", "owner") } as const;
    this.#hub.dispatch(this.chat, {
      type: "chat/toolCallConfirmed",
      turnId: turn.id,
      toolCallId,
      decision: { approvalId: approval.id, outcome: "approved", optionId, by, at },
    });
    return { resolved: true };
  }

  close(): void {
    this.status = { ...this.status, state: "closed" };
    this.#hub.close(this.chat);
    this.#hub.close(this.uri);
  }

  /** Both logs after a number, if memory still reaches back to it. */
  #resume(
    afterSeq: number,
    onReadable: () => void,
  ): { readonly chat: LogReader; readonly session: LogReader } {
    const chat = this.#hub.resume(this.chat, afterSeq, onReadable);
    const session = this.#hub.resume(this.uri, afterSeq, onReadable);
    if (chat !== undefined && session !== undefined) return { chat, session };
    chat?.close();
    session?.close();
    throw new HostError("EVENTS_LOST");
  }
}

function ownerOf(caller: Caller): SessionOwner {
  return caller.kind === "owner" ? { kind: "person" } : { kind: "app", appId: caller.appId };
}
