// Tool calls of ACP v1, as this agent announces them.
import { textBlock } from "./content.ts";
import type { ContentBlock } from "./content.ts";

/** How far a tool call is. */
export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

/** What a tool call shows. */
export type ToolCallContent =
  | { type: "content"; content: ContentBlock }
  | { type: "diff"; path: string; oldText: string | null; newText: string }
  | { type: "terminal"; terminalId: string };

/** A place in a file that a tool call is about; lines count from 1. */
export interface ToolCallLocation {
  path: string;
  line?: number;
}

/** What can be said of a tool call at any time. */
export interface ToolCallFields {
  title?: string;
  kind?: "execute" | "read" | "edit";
  status?: ToolCallStatus;
  content?: ToolCallContent[];
  locations?: ToolCallLocation[];
  rawInput?: object;
  rawOutput?: object;
}

/** A tool call when it is first told of. */
export interface ToolCall extends ToolCallFields {
  toolCallId: string;
  title: string;
}

/** A change to a tool call. */
export interface ToolCallUpdate extends ToolCallFields {
  toolCallId: string;
}

/** Makes the content of a tool call out of text. */
export function textContent(text: string): ToolCallContent {
  return { type: "content", content: textBlock(text) };
}
