// Labels of tool calls: what each is about, how far it is, and what a group of them did.
import type { ToolCall, ToolContent, ToolKind } from "@holdfast/ahp";
import { spanWords } from "../frame/time-words.ts";

export interface ToolCallWords {
  readonly text: string;
  readonly tone: "good" | "bad" | "attention" | "accent" | "plain";
}

const cancelWords = {
  denied: "Denied",
  expired: "Expired",
  skipped: "Skipped",
  "turn-cancelled": "Stopped",
  interrupted: "Interrupted",
} as const;

export function toolCallWords(call: ToolCall): ToolCallWords {
  switch (call.status) {
    case "streaming":
      return { text: "Preparing", tone: "accent" };
    case "pending-confirmation":
      return { text: "Needs approval", tone: "attention" };
    case "running":
      return { text: "Running", tone: "accent" };
    case "completed":
      return { text: "Done", tone: "good" };
    case "failed":
      return { text: "Failed", tone: "bad" };
    case "cancelled":
      return { text: cancelWords[call.reason], tone: call.reason === "interrupted" ? "bad" : "plain" };
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

export function toolCallTitle({ invocationMessage, displayName }: ToolCall): string {
  return invocationMessage ?? displayName;
}

export type TerminalContent = Extract<ToolContent, { readonly type: "terminal" }>;

/** The terminal that a call runs in. */
export function terminalOf({ content }: ToolCall): TerminalContent | undefined {
  return content.find((each): each is TerminalContent => each.type === "terminal");
}

/** Words for each kind of call, for one and for many. */
const actionWords: Readonly<Partial<Record<ToolKind, readonly [verb: string, one: string, many: string]>>> = {
  execute: ["ran", "command", "commands"],
  edit: ["edited", "file", "files"],
  delete: ["deleted", "file", "files"],
  move: ["moved", "file", "files"],
  read: ["read", "file", "files"],
  search: ["ran", "search", "searches"],
  fetch: ["fetched", "address", "addresses"],
};

/** A line on what several calls did: "Ran 3 commands, read 1 file, 1 failed". */
export function groupWords(calls: readonly ToolCall[]): string {
  const counts = new Map<string, number>();
  for (const { toolKind } of calls) {
    const kind = actionWords[toolKind] === undefined ? "other" : toolKind;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const parts = [...counts].map(([kind, count]) => {
    const [verb, one, many] = actionWords[kind as ToolKind] ?? ["used", "tool", "tools"];
    return `${verb} ${count} ${count === 1 ? one : many}`;
  });
  const failedCount = calls.filter(({ status }) => status === "failed").length;
  const text = [...parts, ...(failedCount > 0 ? [`${failedCount} failed`] : [])].join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
