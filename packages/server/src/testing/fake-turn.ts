// A turn on a fake host, with the test in place of the agent.
import {
  makeId,
  type ApprovalId,
  type ChatAction,
  type ChatUri,
  type SessionAction,
  type SessionUri,
  type TurnId,
} from "@holdfast/ahp";
import type { Hub } from "@holdfast/core";
import type { StreamedTurn } from "../host-port.ts";

/** The moment at which everything happens. */
export const at = "2026-01-02T03:04:05.000Z";

/** The channels that a turn is published in. */
export interface TurnChannels {
  readonly uri: SessionUri;
  readonly chat: ChatUri;
}

/** A turn whose agent is the test. */
export class FakeTurn {
  readonly id: TurnId;
  readonly message: string;
  readonly streamed: StreamedTurn;
  readonly #hub: Hub;
  readonly #channels: TurnChannels;
  #startSeq = 0;
  #parts = 0;

  constructor(hub: Hub, channels: TurnChannels, streamed: StreamedTurn, message: string) {
    this.id = streamed.turnId;
    this.message = message;
    this.streamed = streamed;
    this.#hub = hub;
    this.#channels = channels;
  }

  /** The number of its first action. */
  get startSeq(): number {
    return this.#startSeq;
  }

  /** Whether the turn is still running. */
  get isActive(): boolean {
    return this.#hub.state(this.#channels.chat, "chat")?.activeTurn?.id === this.id;
  }

  /** Whether the one who began the turn does not follow it any more. */
  get isForgotten(): boolean {
    const { chat, session } = this.streamed;
    return chat.read(0).kind === "closed" && session.read(0).kind === "closed";
  }

  begin(): void {
    const message = { text: this.message, origin: { kind: "user" } };
    this.dispatch({ type: "chat/turnStarted", turnId: this.id, startedAt: at, message });
    this.#startSeq = this.#hub.lastSeq;
  }

  dispatch(action: ChatAction): void {
    this.#hub.dispatch(this.#channels.chat, action);
  }

  dispatchToSession(action: SessionAction): void {
    this.#hub.dispatch(this.#channels.uri, action);
  }

  say(content: string): void {
    const open = this.#hub.state(this.#channels.chat, "chat")?.activeTurn?.openPart;
    const turnId = this.id;
    if (open?.kind === "markdown") {
      this.dispatch({ type: "chat/delta", turnId, partId: open.id, content });
      return;
    }
    this.#parts += 1;
    const id = makeId("part", `part-${this.#parts}`);
    this.dispatch({ type: "chat/responsePart", turnId, part: { kind: "markdown", id, content } });
  }

  /** Begins a tool call and requests approval for it. */
  ask(name: string, command = `run ${name}`): ApprovalId {
    const approvalId = makeId("approval", `approval-${name}`);
    const call = { turnId: this.id, toolCallId: makeId("tool call", `call-${name}`) };
    this.dispatch({
      ...call,
      type: "chat/toolCallStart",
      toolName: "bash",
      displayName: command,
      toolKind: "execute",
      contributor: { kind: "agent" },
    });
    const options = [{ id: "go", label: "Go", kind: "allow_once" }];
    const approval = { id: approvalId, action: "execute", target: command, options, requestedAt: at };
    this.dispatch({
      ...call,
      type: "chat/toolCallReady",
      invocationMessage: command,
      confirmation: { kind: "needed", approval },
    });
    return approvalId;
  }

  complete(): void {
    this.dispatch({
      type: "chat/turnComplete",
      turnId: this.id,
      endedAt: at,
      durationMs: 1,
      stopReason: "end_turn",
    });
  }
}
