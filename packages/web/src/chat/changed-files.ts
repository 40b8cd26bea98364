// An edit of a file that a tool call reported.
import type { ToolContent } from "@holdfast/ahp";

export type FileEdit = Extract<ToolContent, { type: "fileEdit" }>;
