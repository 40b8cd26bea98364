// Changes of one file in several calls.
import {
  makeId,
  newChatState,
  type ChatState,
  type ToolCall,
  type ToolContent,
  type Turn,
} from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { changedFiles } from "./changed-files.ts";

const at = "2026-01-01T00:00:00.000Z";

function call(id: string, content: ToolContent, status: "completed" | "failed" = "completed"): ToolCall {
  const details = {
    toolCallId: makeId("tool call", id),
    toolName: "write",
    displayName: "Write",
    toolKind: "edit",
    locations: [],
    contributor: { kind: "agent" },
    content: [content],
    decisions: [],
    confirmed: "not-needed",
  } as const;
  return status === "completed"
    ? { ...details, status, result: { success: true } }
    : { ...details, status, result: { success: false } };
}

function chatWith(calls: readonly ToolCall[]): ChatState {
  const turn: Turn = {
    id: makeId("turn", "t"),
    startedAt: at,
    endedAt: at,
    durationMs: 0,
    message: { text: "", origin: { kind: "user" } },
    responseParts: calls.map((toolCall) => ({ kind: "toolCall", toolCall })),
    plans: [],
    end: { state: "complete", stopReason: "end_turn" },
  };
  return { ...newChatState({ resource: makeId("chat URI", "c"), title: "", at }), turns: [turn] };
}

function edit(path: string, before: string | undefined, after: string | undefined): ToolContent {
  return {
    type: "fileEdit",
    path,
    ...(before !== undefined && { before: { kind: "text", text: before } }),
    ...(after !== undefined && { after: { kind: "text", text: after } }),
  };
}

describe("[Z31] changed files", () => {
  it("[Z31] go from what each was first to what it became last", () => {
    const chat = chatWith([
      call("1", edit("/a", undefined, "one")),
      call("2", edit("/b", "x", "y")),
      call("3", edit("/a", "one", "two")),
    ]);
    expect(changedFiles(chat)).toEqual([edit("/a", undefined, "two"), edit("/b", "x", "y")]);
  });

  it("[Z31] are not those that are in the end what they were at first", () => {
    const chat = chatWith([call("1", edit("/a", "x", "y")), call("2", edit("/a", "y", "x"))]);
    expect(changedFiles(chat)).toEqual([]);
  });

  it("[Z31] are not those of calls that failed", () => {
    expect(changedFiles(chatWith([call("1", edit("/a", "x", "y"), "failed")]))).toEqual([]);
  });
});
