// The history of a session: the updates that a client receives again when it loads the session.
import type { HistoryUpdate } from "../acp/session-update.ts";

/** How much a history holds by default, in UTF-16 units of its JSON. */
const MAX_HISTORY_SIZE = 4 * 1024 * 1024;

interface Entry {
  update: HistoryUpdate;
  size: number;
}

export interface HistoryRecord {
  /** How many of the oldest entries were dropped to stay within the limit. */
  readonly dropped: number;
  readonly updates: readonly HistoryUpdate[];
}

/**
 * The updates of a session in order, put together so that each thing is there once (S18): chunks of a message as one,
 * a tool call with all its changes, of a turn's plans the last. When it grows too large its oldest entries go.
 */
export class History {
  readonly #maxSize: number;
  #entries: Entry[] = [];
  #size = 0;
  #dropped = 0;

  constructor(maxSize: number = MAX_HISTORY_SIZE) {
    this.#maxSize = maxSize;
  }

  /** Restores a stored history; calls that were unfinished then have failed since. */
  static restore({ dropped, updates }: HistoryRecord, maxSize?: number): History {
    const history = new History(maxSize);
    for (const update of updates) history.add(endOf(update));
    history.#dropped += dropped;
    return history;
  }

  /** How many of the oldest entries are missing. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The updates as they are now. */
  get updates(): readonly HistoryUpdate[] {
    return this.#entries.map((entry) => entry.update);
  }

  /** Adds an update, or lets it change what it belongs to. */
  add(update: HistoryUpdate): void {
    const at = this.#findPlace(update);
    const before = at === -1 ? undefined : this.#entries[at];
    // A change to a tool call that was dropped has nothing left to change.
    if (before === undefined && update.sessionUpdate === "tool_call_update") return;
    const merged = before === undefined ? update : merge(before.update, update);
    const entry = { update: merged, size: JSON.stringify(merged).length };
    if (before === undefined) this.#entries.push(entry);
    else this.#entries[at] = entry;
    this.#size += entry.size - (before?.size ?? 0);
    this.#makeRoom();
  }

  toRecord(): HistoryRecord {
    return { dropped: this.#dropped, updates: this.updates };
  }

  #findPlace(update: HistoryUpdate): number {
    switch (update.sessionUpdate) {
      case "tool_call":
      case "tool_call_update": {
        return this.#entries.findLastIndex(
          (entry) => isToolCall(entry.update) && entry.update.toolCallId === update.toolCallId,
        );
      }
      case "plan": {
        const turnStart = this.#entries.findLastIndex(
          (entry) => entry.update.sessionUpdate === "user_message_chunk",
        );
        const plan = this.#entries.findLastIndex((entry) => entry.update.sessionUpdate === "plan");
        return plan > turnStart ? plan : -1;
      }
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk": {
        const last = this.#entries.at(-1)?.update;
        return last !== undefined && joinText(last, update) !== undefined ? this.#entries.length - 1 : -1;
      }
    }
  }

  #makeRoom(): void {
    let first = 0;
    // The newest entry stays, however large: it is what is being talked about.
    while (this.#size > this.#maxSize && first < this.#entries.length - 1) {
      this.#size -= this.#entries[first]?.size ?? 0;
      first += 1;
    }
    if (first === 0) return;
    this.#entries = this.#entries.slice(first);
    this.#dropped += first;
  }
}

function isToolCall(update: HistoryUpdate): update is Extract<HistoryUpdate, { toolCallId: string }> {
  return update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update";
}

function merge(before: HistoryUpdate, update: HistoryUpdate): HistoryUpdate {
  if (before.sessionUpdate === "tool_call" && isToolCall(update)) {
    const { title = before.title } = update;
    return { ...before, ...update, title, sessionUpdate: "tool_call" };
  }
  return joinText(before, update) ?? update;
}

/** Two chunks of text of one message as one; `undefined` if they are not that. */
function joinText(before: HistoryUpdate, update: HistoryUpdate): HistoryUpdate | undefined {
  if (!("messageId" in before) || !("messageId" in update)) return undefined;
  if (before.sessionUpdate !== update.sessionUpdate || before.messageId !== update.messageId) {
    return undefined;
  }
  if (before.content.type !== "text" || update.content.type !== "text") return undefined;
  return { ...before, content: { type: "text", text: before.content.text + update.content.text } };
}

function endOf(update: HistoryUpdate): HistoryUpdate {
  if (update.sessionUpdate !== "tool_call") return update;
  const isOpen = update.status === "pending" || update.status === "in_progress";
  return isOpen ? { ...update, status: "failed" } : update;
}
