// The kinds of `session/update` that this agent sends.
import type { ContentBlock } from "./content.ts";
import type { Mode } from "./session-settings.ts";
import type { ToolCall, ToolCallUpdate } from "./tool-call.ts";

/** A step of a plan. */
export interface PlanEntry {
  content: string;
  priority: "medium";
  status: "pending" | "in_progress" | "completed";
}

/** A slash command as clients list it. */
export interface AvailableCommand {
  name: string;
  description: string;
  input?: { hint: string };
}

/** A piece of a message or thought; pieces with the same id belong together. */
export interface ContentChunk {
  content: ContentBlock;
  messageId: string;
}

/** What makes up the history of a session. */
export type HistoryUpdate =
  | ({ sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" } & ContentChunk)
  | ({ sessionUpdate: "tool_call" } & ToolCall)
  | ({ sessionUpdate: "tool_call_update" } & ToolCallUpdate)
  | { sessionUpdate: "plan"; entries: PlanEntry[] };

/** Everything that this agent tells of a session. */
export type SessionUpdate =
  | HistoryUpdate
  | { sessionUpdate: "available_commands_update"; availableCommands: AvailableCommand[] }
  | { sessionUpdate: "current_mode_update"; currentModeId: Mode }
  | { sessionUpdate: "session_info_update"; title?: string; updatedAt?: string };
