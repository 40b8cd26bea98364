// One turn: its updates to the client, its tool calls, and the history it keeps while a prompt is being answered.
import { randomUUID } from "node:crypto";
import {
  type HistoryUpdate,
  textBlock,
  type ToolCall,
  type ToolCallContent,
  type ToolCallFields,
} from "../acp/session-update.ts";
import type { Client } from "../client.ts";
import type { SlashCommands } from "../command/catalogue.ts";
import type { Session } from "../session/session.ts";

export interface TurnOptions {
  readonly session: Session;
  readonly client: Client;
  readonly commands: SlashCommands;
  /** Called where the session is worth saving. */
  readonly onProgress: () => void;
}

/** A turn under way. Everything it waits for ends when it is cancelled. */
export class Turn {
  readonly session: Session;
  readonly client: Client;
  readonly commands: SlashCommands;
  readonly #onProgress: () => void;
  readonly #controller = new AbortController();
  readonly #openCalls = new Set<OpenToolCall>();

  constructor(options: TurnOptions) {
    this.session = options.session;
    this.client = options.client;
    this.commands = options.commands;
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

  /** Sends an update and adds it, or `kept` in its place, to the history. Waits while the client reads too slowly. */
  async emit(update: HistoryUpdate, kept: HistoryUpdate = update): Promise<void> {
    this.session.history.add(kept);
    if (this.client.send(this.session.id, update) || this.signal.aborted) return;
    await this.client.drained(this.signal);
  }

  /** Sends text as a separate message. `repeated` is a call whose terminal shows the same. */
  say(text: string, repeated?: OpenToolCall): Promise<void> {
    return this.emit({
      sessionUpdate: "agent_message_chunk",
      messageId: randomUUID(),
      content: textBlock(text),
      ...(repeated && { _meta: { holdfast: { repeatsToolCall: repeated.current.toolCallId } } }),
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

type Emit = (update: HistoryUpdate, kept?: HistoryUpdate) => Promise<void>;

/** A tool call that has been or is about to be announced to the client. */
export class OpenToolCall {
  readonly #emit: Emit;
  #current: ToolCall;

  constructor(fields: ToolCallFields & { title: string }, emit: Emit) {
    this.#emit = emit;
    this.#current = { toolCallId: randomUUID(), status: "pending", ...fields };
  }

  /** The call with all updates applied. */
  get current(): ToolCall {
    return this.#current;
  }

  /** Whether the call has completed or failed. */
  get isEnded(): boolean {
    return this.#current.status === "completed" || this.#current.status === "failed";
  }

  /** Announces the call. */
  announce(): Promise<void> {
    return this.#emit({ sessionUpdate: "tool_call", ...this.#current });
  }

  /** Changes the call. With `keptContent` the history has that instead of what is shown. */
  update(fields: ToolCallFields, keptContent?: ToolCallContent[]): Promise<void> {
    this.#current = { ...this.#current, ...fields };
    const update = {
      sessionUpdate: "tool_call_update" as const,
      toolCallId: this.#current.toolCallId,
      ...fields,
    };
    return this.#emit(update, keptContent === undefined ? update : { ...update, content: keptContent });
  }

  /** Ends the call. */
  end(
    status: "completed" | "failed",
    fields: ToolCallFields,
    keptContent?: ToolCallContent[],
  ): Promise<void> {
    return this.update({ ...fields, status }, keptContent);
  }
}
