// The line of a group of tool calls.
import { makeId, type ToolCall, type ToolKind } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { groupWords } from "./tool-call-words.ts";

function call(toolKind: ToolKind, status: "completed" | "failed" = "completed"): ToolCall {
  const details = {
    toolCallId: makeId("tool call", toolKind),
    toolName: toolKind,
    displayName: toolKind,
    toolKind,
    locations: [],
    contributor: { kind: "agent" },
    content: [],
    decisions: [],
    confirmed: "not-needed",
  } as const;
  return status === "completed"
    ? { ...details, status, result: { success: true } }
    : { ...details, status, result: { success: false } };
}

test("[Z804] a group says what its calls did, in the order of their first, and how many failed", () => {
  expect(groupWords([call("execute"), call("execute", "failed"), call("read")])).toBe(
    "Ran 2 commands, read 1 file, 1 failed",
  );
  expect(groupWords([call("think"), call("switch_mode")])).toBe("Used 2 tools");
  expect(groupWords([call("search"), call("edit")])).toBe("Ran 1 search, edited 1 file");
});
