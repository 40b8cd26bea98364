// The frames, read back by a parser that keeps the clients' rules to the letter.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  HEARTBEAT,
  formatEvent,
  permissionOption,
  textDelta,
  turnEventSchema,
  type TurnEvent,
} from "./events.ts";

/** Reads a stream as the strictest client does: "event: " and "data: " with their space, one data line, LF only. */
function readAsClient(text: string): { type: string; data: unknown }[] {
  const events: { type: string; data: unknown }[] = [];
  let name = "";
  // The last line has no end yet: a client discards it.
  for (const line of text.split("\n").slice(0, -1)) {
    if (line.startsWith("event: ")) name = line.slice(7).trim();
    else if (line === "") name = "";
    else if (line.startsWith("data: ")) {
      if (name !== "") events.push({ type: name, data: JSON.parse(line.slice(6)) as unknown });
      name = "";
    }
  }
  return events;
}

const permissionRequest: TurnEvent = {
  type: "permission_request",
  data: {
    requestId: "r1",
    action: "execute",
    target: "rm -rf build",
    options: [permissionOption({ optionId: "yes-1", name: "Allow", kind: "allow_once" })],
    expiresAt: "2026-11-05T12:00:00.000Z",
  },
};

const turn: TurnEvent[] = [
  textDelta("hm", "thought", "m1"),
  textDelta("hi", "output"),
  {
    type: "tool_call",
    data: { text: "Build (failed): exit 1", title: "Build", toolCallId: "c1", status: "failed" },
  },
  { type: "status", data: { text: "12 of 100", tag: "usage_update", used: 12, size: 100 } },
  permissionRequest,
  { type: "error", data: { message: "The agent ended.", code: "ACP_AGENT_EXITED" } },
  { type: "done", data: { stopReason: "end_turn" } },
  { type: "close", data: { success: true } },
];

describe("event streams", () => {
  it("[P20] a frame is its id, its event, its one data line and a blank line", () => {
    expect(formatEvent({ type: "close", data: { success: true } }, "17")).toBe(
      'id: 17\nevent: close\ndata: {"success":true}\n\n',
    );
    expect(formatEvent({ type: "close", data: { success: false } })).toBe(
      'event: close\ndata: {"success":false}\n\n',
    );
  });

  it("[P20] a whole turn with heartbeats in it reads back as it was", () => {
    const text = turn.map((event, index) => HEARTBEAT + formatEvent(event, String(index))).join("");
    expect(readAsClient(text)).toEqual(turn);
  });

  it("[P20] any text at all stays on its one line, for every reader's notion of a line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const event = textDelta(text, "output");
        const frame = formatEvent(event, "1");
        expect(readAsClient(frame)).toEqual([event]);
        expect(frame.split(/\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/)).toHaveLength(5);
      }),
    );
    expect(formatEvent(textDelta("a\u2028b\u0085c", "output"))).toContain(String.raw`a\u2028b\u0085c`);
  });

  it.each(["1\n2", "1\r2", "1\0"])("[P20] an id that would break the frame is refused: %j", (id) => {
    expect(() => formatEvent({ type: "close", data: { success: true } }, id)).toThrow(TypeError);
  });

  it("[P21] a heartbeat is a comment and nothing else", () => {
    expect(HEARTBEAT).toMatch(/^:[^\n]*\n\n$/);
    expect(readAsClient(HEARTBEAT + HEARTBEAT)).toEqual([]);
  });
});

describe("events", () => {
  it.each(turn)("[P22] $type has the members that clients read", (event) => {
    expect(turnEventSchema.parse(event)).toEqual(event);
  });

  it.each([
    ["text_delta", ["text", "stream"]],
    ["tool_call", ["text", "title", "toolCallId", "status"]],
    ["permission_request", ["requestId", "action", "target", "options", "expiresAt"]],
    ["done", ["stopReason"]],
    ["error", ["message", "code"]],
    ["close", ["success"]],
  ])("[P22] %s is not complete without each documented member", (type, members) => {
    const event = turn.find((each) => each.type === type);
    const needed = members.filter((member) => {
      const data = Object.fromEntries(Object.entries(event?.data ?? {}).filter(([key]) => key !== member));
      return !turnEventSchema.safeParse({ type, data }).success;
    });
    expect(needed).toEqual(members);
  });

  it("[P22] an event of another name is not one of ours", () => {
    expect(turnEventSchema.safeParse({ type: "text", data: { text: "a" } }).success).toBe(false);
  });

  it("[P23] a thought is marked in both ways, output in neither of them", () => {
    expect(textDelta("hm", "thought").data).toEqual({
      text: "hm",
      stream: "thought",
      type: "thinking",
      tag: "agent_thought_chunk",
    });
    expect(textDelta("hi", "output", "m2").data).toEqual({
      text: "hi",
      stream: "output",
      tag: "agent_message_chunk",
      messageId: "m2",
    });
  });

  it("[P23] a permission option has id and label under both names", () => {
    expect(permissionOption({ optionId: "o7", name: "Always", kind: "allow_always" })).toEqual({
      optionId: "o7",
      id: "o7",
      name: "Always",
      label: "Always",
      kind: "allow_always",
    });
  });
});
