// Updates of a session that this agent sends, with the content and the tool calls in them, in the shapes of ACP v1.
import type { Mode } from "./agent-methods.ts";

export interface PlanEntry {
  content: string;
  priority: "medium";
  status: "pending" | "in_progress" | "completed";
  /** ACP has no status for a step that failed. */
  _meta?: { holdfast: { outcome: "failed" } };
}

export interface AvailableCommand {
  name: string;
  description: string;
  input?: { hint: string };
}

/** A piece of a message or thought; pieces with the same id belong together. */
interface ContentChunk {
  content: ContentBlock;
  messageId: string;
  _meta?: { holdfast: { repeatsToolCall: string } };
}

/** Updates that make up the history of a session. */
export type HistoryUpdate =
  | ({ sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk" } & ContentChunk)
  | ({ sessionUpdate: "tool_call" } & ToolCall)
  | ({ sessionUpdate: "tool_call_update" } & ToolCallUpdate)
  | { sessionUpdate: "plan"; entries: PlanEntry[] };

/** Every update that this agent sends about a session. */
export type SessionUpdate =
  | HistoryUpdate
  | { sessionUpdate: "available_commands_update"; availableCommands: AvailableCommand[] }
  | { sessionUpdate: "current_mode_update"; currentModeId: Mode }
  | { sessionUpdate: "session_info_update"; title?: string; updatedAt?: string };

interface TextBlock {
  type: "text";
  text: string;
}

/** A pointer to something that the reader can fetch. */
interface ResourceLinkBlock {
  type: "resource_link";
  uri: string;
  name: string;
}

interface ResourceBlock {
  type: "resource";
  resource: { uri: string; text: string } | { uri: string; blob: string };
}

export type ContentBlock = TextBlock | ResourceLinkBlock | ResourceBlock;

export function textBlock(text: string): TextBlock {
  return { type: "text", text };
}

type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolCallContent =
  | { type: "content"; content: ContentBlock }
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  | { type: "terminal"; terminalId: string };

/** A place in a file that a tool call is about; lines count from 1. */
interface ToolCallLocation {
  path: string;
  line?: number;
}

/** Fields of a tool call that may change at any time. */
export interface ToolCallFields {
  title?: string;
  kind?: "execute" | "read" | "edit";
  status?: ToolCallStatus;
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: object;
  rawOutput?: object;
}

export interface ToolCall extends ToolCallFields {
  toolCallId: string;
  title: string;
}

export interface ToolCallUpdate extends ToolCallFields {
  toolCallId: string;
}

/** Makes the content of a tool call out of text. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: textBlock(text) };
}
