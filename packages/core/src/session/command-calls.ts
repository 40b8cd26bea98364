// The unfinished tool calls of a session's running turn that run commands, without a look at the turn's other parts.
import {
  type ActiveTurn,
  type ChatAction,
  type ToolCall,
  findToolCall,
  isUnfinished,
  turnParts,
} from "@holdfast/ahp";

/** Follows the chat's actions. */
export class CommandCalls {
  /** Calls that were unfinished when they were last looked at. */
  readonly #candidates = new Set<string>();

  note(action: ChatAction): void {
    switch (action.type) {
      case "chat/turnStarted":
        this.#candidates.clear();
        return;
      case "chat/toolCallStart":
        if (action.toolKind === "execute") this.#candidates.add(action.toolCallId);
        return;
      case "chat/toolCallUpdated":
        if (action.changes.toolKind === "execute") this.#candidates.add(action.toolCallId);
        return;
      case "chat/toolCallComplete":
        this.#candidates.delete(action.toolCallId);
        break;
      default:
    }
  }

  /** Follows a turn that began in an earlier host. */
  resume(turn: ActiveTurn): void {
    for (const part of turnParts(turn)) {
      if (part.kind === "toolCall" && isUnfinished(part.toolCall)) {
        this.#candidates.add(part.toolCall.toolCallId);
      }
    }
  }

  /** The one unfinished call that runs commands, when there is exactly one. */
  findSole(turn: ActiveTurn | undefined): ToolCall | undefined {
    let sole: ToolCall | undefined;
    for (const id of this.#candidates) {
      const call = findToolCall(turn, id);
      if (call === undefined || !isUnfinished(call) || call.toolKind !== "execute") {
        this.#candidates.delete(id);
        continue;
      }
      if (sole !== undefined) return undefined;
      sole = call;
    }
    return sole;
  }
}
