// Updates that a history keeps.
import { describe, expect, it } from "vitest";
import { type HistoryUpdate, textBlock, textContent } from "../acp/session-update.ts";
import { History } from "./history.ts";

const chunk = (text: string, messageId = "m1"): HistoryUpdate => ({
  sessionUpdate: "agent_message_chunk",
  messageId,
  content: textBlock(text),
});
const user = (text: string): HistoryUpdate => ({
  sessionUpdate: "user_message_chunk",
  messageId: text,
  content: textBlock(text),
});
const plan = (status: "pending" | "completed"): HistoryUpdate => ({
  sessionUpdate: "plan",
  entries: [{ content: "a", priority: "medium", status }],
});

describe("a history", () => {
  it("[S18] has each message, tool call and plan once, as it ended up", () => {
    const history = new History();
    history.add(user("one"));
    history.add(plan("pending"));
    history.add({
      sessionUpdate: "tool_call",
      toolCallId: "t",
      title: "ls",
      status: "pending",
      kind: "execute",
    });
    history.add(chunk("a"));
    history.add(chunk("b"));
    history.add(chunk("c", "m2"));
    history.add({
      sessionUpdate: "tool_call_update",
      toolCallId: "t",
      status: "completed",
      content: [textContent("x")],
    });
    history.add(plan("completed"));
    history.add(user("two"));
    history.add(plan("pending"));
    expect(history.updates).toEqual([
      user("one"),
      plan("completed"),
      {
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "ls",
        status: "completed",
        kind: "execute",
        content: [textContent("x")],
      },
      chunk("ab"),
      chunk("c", "m2"),
      user("two"),
      plan("pending"),
    ]);
  });

  it("[S18] drops its oldest entries when it grows too large, and counts them", () => {
    const history = new History(2000);
    for (let index = 0; index < 100; index += 1) history.add(chunk("x".repeat(100), `m${index}`));
    const { updates, dropped } = history;
    expect(updates.length + dropped).toBe(100);
    expect(JSON.stringify(updates).length).toBeLessThanOrEqual(2000 + updates.length);
    expect(updates.length).toBeGreaterThan(5);
    expect(updates.at(-1)).toEqual(chunk("x".repeat(100), "m99"));
    history.add({ sessionUpdate: "tool_call_update", toolCallId: "gone", status: "failed" });
    expect(history.updates).toEqual(updates);
    history.add(chunk("y".repeat(5000), "large"));
    expect(history.updates).toEqual([chunk("y".repeat(5000), "large")]);
    expect(history.dropped).toBe(100);
  });

  it("[S18] after a restore marks unfinished calls as failed", () => {
    const history = new History();
    history.add({ sessionUpdate: "tool_call", toolCallId: "1", title: "a", status: "pending" });
    history.add({ sessionUpdate: "tool_call", toolCallId: "2", title: "b", status: "in_progress" });
    history.add({ sessionUpdate: "tool_call", toolCallId: "3", title: "c", status: "completed" });
    const { dropped, updates } = History.restore({ ...history.toRecord(), dropped: 7 });
    expect(dropped).toBe(7);
    expect(updates).toMatchObject([{ status: "failed" }, { status: "failed" }, { status: "completed" }]);
  });
});
