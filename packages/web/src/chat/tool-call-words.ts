// How far a tool call is, in words for people.
import type { ToolCall } from "@holdfast/ahp";
import { spanWords } from "../frame/time-words.ts";

/** A word, and how it is marked. */
export interface ToolCallWords {
  readonly text: string;
  readonly tone: "good" | "bad" | "attention" | "accent" | "plain";
}

const cancelWords = {
  denied: "refused",
  expired: "nobody answered in time",
  skipped: "skipped",
  "turn-cancelled": "stopped",
  interrupted: "interrupted",
} as const;

/** Says how far a tool call is. */
export function toolCallWords(call: ToolCall): ToolCallWords {
  switch (call.status) {
    case "streaming":
      return { text: "being prepared", tone: "accent" };
    case "pending-confirmation":
      return { text: "asks you", tone: "attention" };
    case "running":
      return { text: "running", tone: "accent" };
    case "completed":
      return { text: "done", tone: "good" };
    case "failed":
      return { text: "failed", tone: "bad" };
    case "cancelled":
      return { text: cancelWords[call.reason], tone: call.reason === "skipped" ? "plain" : "bad" };
  }
}

/** How long a call took; undefined while it is not over, and where nobody saw its start or its end. */
export function callTimeWords(call: ToolCall): string | undefined {
  switch (call.status) {
    case "completed":
    case "failed":
      return spanWords(call.startedAt, call.endedAt);
    case "cancelled":
      return call.reason === "interrupted" ? undefined : spanWords(call.startedAt, call.endedAt);
    case "streaming":
    case "pending-confirmation":
    case "running":
      return undefined;
  }
}
