// Finds tool calls of the running turn in a chat's state.
import { type ChatState, type ToolCall, isUnfinished, turnParts } from "@holdfast/ahp";

/** A tool call of the running turn by the agent's id. */
export function findToolCall(chat: ChatState | undefined, toolCallId: string): ToolCall | undefined {
  return activeToolCalls(chat).find((call) => call.toolCallId === toolCallId);
}

/** The one unfinished call that runs commands, when there is exactly one. */
export function soleCommandCall(chat: ChatState | undefined): ToolCall | undefined {
  const calls = activeToolCalls(chat).filter((call) => isUnfinished(call) && call.toolKind === "execute");
  return calls.length === 1 ? calls[0] : undefined;
}

function activeToolCalls(chat: ChatState | undefined): ToolCall[] {
  if (chat?.activeTurn === undefined) return [];
  return turnParts(chat.activeTurn).flatMap((part) => (part.kind === "toolCall" ? [part.toolCall] : []));
}
