// The checker of messages finds what is wrong, or all that it finds right would mean nothing.
import { describe, expect, it } from "vitest";
import { findErrorFaults, findParamsFaults, findResultFaults } from "./acp-schema.ts";

const update = (fields: object): unknown => ({ sessionId: "s", update: fields });

describe("the checker of messages", () => {
  it("[S3] takes what fits", () => {
    const fitting = [
      update({
        sessionUpdate: "tool_call",
        toolCallId: "t",
        title: "x",
        rawInput: { any: [1] },
        _meta: { a: 1 },
      }),
      update({ sessionUpdate: "plan", entries: [{ content: "a", priority: "low", status: "pending" }] }),
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x" }, messageId: "m" }),
    ];
    for (const params of fitting) expect(findParamsFaults("session/update", params)).toEqual([]);
    expect(findResultFaults("session/prompt", { stopReason: "end_turn" })).toEqual([]);
    expect(findErrorFaults({ code: -32602, message: "x", data: { a: 1 } })).toEqual([]);
  });

  it.each([
    [{ sessionUpdate: "tool_call", toolCallId: "t" }, "title is missing"],
    [
      { sessionUpdate: "tool_call", toolCallId: "t", title: "x", colour: "red" },
      "colour is not in the schema",
    ],
    [{ sessionUpdate: "tool_call", toolCallId: "t", title: "x", status: "cancelled" }, "status"],
    [
      { sessionUpdate: "tool_call", toolCallId: "t", title: "x", locations: [{ path: "/a", line: -1 }] },
      "too small",
    ],
    [
      { sessionUpdate: "tool_call", toolCallId: "t", title: "x", content: [{ type: "terminal" }] },
      "terminalId is missing",
    ],
    [{ sessionUpdate: "agent_message_chunk", content: "text" }, "content"],
    [{ sessionUpdate: "news" }, "sessionUpdate"],
  ])("[S3] refuses %j", (fields, fault) => {
    expect(findParamsFaults("session/update", update(fields)).join("\n")).toContain(fault);
  });

  it("[S3] refuses a result of another method", () => {
    expect(findResultFaults("session/prompt", {})).toEqual(["session/prompt result.stopReason is missing"]);
    expect(findResultFaults("session/new", { sessionId: "s", extra: 1 })).toEqual([
      "session/new result.extra is not in the schema",
    ]);
  });
});
