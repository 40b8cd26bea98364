// A tool call from its announcement to its end.
import { randomUUID } from "node:crypto";
import type { HistoryUpdate } from "../acp/session-update.ts";
import type { ToolCall, ToolCallContent, ToolCallFields } from "../acp/tool-call.ts";

type Emit = (update: HistoryUpdate, kept?: HistoryUpdate) => Promise<void>;

/** A tool call that the client has been told of, or is about to be. */
export class OpenToolCall {
  readonly #emit: Emit;
  #current: ToolCall;

  constructor(fields: ToolCallFields & { title: string }, emit: Emit) {
    this.#emit = emit;
    this.#current = { toolCallId: randomUUID(), status: "pending", ...fields };
  }

  /** The call with all that was told of it. */
  get current(): ToolCall {
    return this.#current;
  }

  /** Whether the call has completed or failed. */
  get isEnded(): boolean {
    return this.#current.status === "completed" || this.#current.status === "failed";
  }

  /** Tells of the call for the first time. */
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
