// One turn: what is told to the client and kept in the history while a prompt is being answered.
import { randomUUID } from "node:crypto";
import { textBlock } from "../acp/content.ts";
import { OpenToolCall } from "./open-tool-call.ts";
import type { HistoryUpdate } from "../acp/session-update.ts";
import type { ToolCallFields } from "../acp/tool-call.ts";
import type { Client } from "../client.ts";
import type { Session } from "../session/session.ts";

/** What a turn is made of. */
export interface TurnOptions {
  readonly session: Session;
  readonly client: Client;
  /** Called where the session is worth saving. */
  readonly onProgress: () => void;
}

/** A turn under way. Everything it waits for ends when it is cancelled. */
export class Turn {
  readonly session: Session;
  readonly client: Client;
  readonly #onProgress: () => void;
  readonly #controller = new AbortController();
  readonly #openCalls = new Set<OpenToolCall>();

  constructor(options: TurnOptions) {
    this.session = options.session;
    this.client = options.client;
    this.#onProgress = options.onProgress;
  }

  /** Aborts when the turn is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Cancels the turn; again changes nothing. */
  cancel(): void {
    this.#controller.abort();
  }

  /** Tells the client and keeps it, or in its stead `kept`. Waits while the client reads too slowly. */
  async emit(update: HistoryUpdate, kept: HistoryUpdate = update): Promise<void> {
    this.session.history.add(kept);
    if (this.client.tell(this.session.id, update) || this.signal.aborted) return;
    await this.client.drained(this.signal);
  }

  /** Says something as a message of its own. */
  say(text: string): Promise<void> {
    return this.emit({
      sessionUpdate: "agent_message_chunk",
      messageId: randomUUID(),
      content: textBlock(text),
    });
  }

  /** Thinks aloud. */
  think(text: string): Promise<void> {
    return this.emit({
      sessionUpdate: "agent_thought_chunk",
      messageId: randomUUID(),
      content: textBlock(text),
    });
  }

  /** Announces a tool call; a turn that ends before it ends it as failed. */
  async openCall(fields: ToolCallFields & { title: string }): Promise<OpenToolCall> {
    const call = new OpenToolCall(fields, (update, kept) => {
      if (call.isEnded) this.#openCalls.delete(call);
      return this.emit(update, kept);
    });
    this.#openCalls.add(call);
    await call.announce();
    return call;
  }

  /** Ends as failed what is still open. */
  async endOpenCalls(reason: string): Promise<void> {
    for (const call of this.#openCalls) await call.end("failed", { rawOutput: { error: reason } });
  }

  /** Lets the session be saved as it is now. */
  save(): void {
    this.#onProgress();
  }
}
