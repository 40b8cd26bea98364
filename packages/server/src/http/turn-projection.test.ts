// A turn's text, its place in line and its end, as data: actions in, exact events out.
import { makeId, type Action } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import {
  at,
  expectProjection,
  readAction,
  started,
  status,
  turnId,
  type ProjectionCase,
} from "../testing/projection-case.ts";
import { TurnProjection } from "./turn-projection.ts";

const completed = { type: "chat/turnComplete", turnId, endedAt: at, durationMs: 5, stopReason: "end_turn" };
const done = [
  { type: "done", data: { stopReason: "end_turn" } },
  { type: "close", data: { success: true } },
];
const call = { turnId, toolCallId: "call-1" };
const callStarted = {
  ...call,
  type: "chat/toolCallStart",
  toolName: "bash",
  displayName: "Run echo",
  toolKind: "execute",
  contributor: { kind: "agent" },
  rawInput: { command: "echo hi" },
};
const notice = { id: "notice-1", at, severity: "info", title: "Sent", description: "words" };
const waiting = { id: turnId, message: { text: "words", origin: { kind: "user" } } };
const callEvent = {
  text: 'Run echo (running): {"command":"echo hi"}',
  title: "Run echo",
  toolCallId: "call-1",
  status: "running",
  tag: "tool_call",
  kind: "execute",
  rawInput: { command: "echo hi" },
};

it("[A240] a tool call costs the same in a turn of 16,000 calls as in one of 1,000", () => {
  const [short, long] = [1000, 16_000].map((calls) => {
    const projection = new TurnProjection(makeId("turn", turnId));
    projection.project(readAction(started));
    projectCalls(projection, 0, calls);
    return projection;
  });
  const callsMs = (projection: TurnProjection | undefined, round: number): number => {
    const startedMs = performance.now();
    if (projection) projectCalls(projection, 20_000 + round * 200, 200);
    return performance.now() - startedMs;
  };
  // The best of several: another process may have the processor in any one of them.
  const rounds = Array.from({ length: 50 }, (_, round) => [callsMs(short, round), callsMs(long, round)]);
  const [shortMs = 0, longMs = 0] = [0, 1].map((side) =>
    Math.min(...rounds.map((times) => times[side] ?? 0)),
  );
  expect(longMs / shortMs).toBeLessThan(3);
});

function projectCalls(projection: TurnProjection, first: number, count: number): void {
  for (let index = first; index < first + count; index += 1) {
    const toolCallId = makeId("tool call", `call-${index}`);
    const action = readAction(callStarted) as Extract<Action, { type: "chat/toolCallStart" }>;
    const events = [
      ...projection.project({ ...action, toolCallId }),
      ...projection.project({
        type: "chat/toolCallComplete",
        turnId: action.turnId,
        toolCallId,
        result: { success: true },
      }),
    ];
    if (events.length !== 2) throw new Error(`Expected 2 events, got ${events.length}.`);
  }
}

const cases: ProjectionCase[] = [
  {
    title: "[A30] text is output, and a thought is marked in both ways",
    actions: [
      { type: "chat/responsePart", turnId, part: { kind: "reasoning", id: "part-1", content: "Hm" } },
      { type: "chat/reasoning", turnId, partId: "part-1", content: "m." },
      { type: "chat/responsePart", turnId, part: { kind: "markdown", id: "part-2", content: "" } },
      { type: "chat/delta", turnId, partId: "part-2", content: "Hello" },
    ],
    events: [
      thought("Hm"),
      thought("m."),
      {
        type: "text_delta",
        data: { text: "Hello", stream: "output", tag: "agent_message_chunk", messageId: "part-2" },
      },
    ],
  },
  {
    title: "[A30] what is neither text nor thought is reported as a status",
    actions: [
      {
        type: "chat/responsePart",
        turnId,
        part: {
          kind: "contentRef",
          id: "part-1",
          uri: "file:///a.png",
          contentType: "image/png",
          sizeBytes: 7,
        },
      },
      {
        type: "chat/responsePart",
        turnId,
        part: {
          kind: "systemNotification",
          notice: { id: "notice-1", at, severity: "warning", title: "Mind the gap" },
        },
      },
    ],
    events: [
      status("content", "image/png", {
        update: { type: "resource_link", uri: "file:///a.png", mimeType: "image/png", size: 7 },
      }),
      status("notice", "Mind the gap", {
        notice: { id: "notice-1", at, severity: "warning", title: "Mind the gap" },
      }),
    ],
  },
  {
    title: "[A35] a turn that came to its end is done, and nothing comes after close",
    actions: [
      { type: "chat/usage", turnId, usage: { totalTokens: 5 } },
      completed,
      completed,
      { type: "session/modeChanged", modeId: "careful" },
    ],
    events: [
      status("usage_update", "Tokens used", { breakdown: { totalTokens: 5 } }),
      { type: "done", data: { stopReason: "end_turn", usage: { totalTokens: 5 } } },
      { type: "close", data: { success: true } },
    ],
  },
  {
    title: "[A35] a cancelled turn is done with that reason, and leaves no call running",
    actions: [
      callStarted,
      { type: "chat/turnCancelled", turnId, endedAt: at, durationMs: 5, by: { kind: "host" } },
    ],
    events: [
      { type: "tool_call", data: callEvent },
      {
        type: "tool_call",
        data: {
          ...callEvent,
          text: 'Run echo (turn-cancelled): {"command":"echo hi"}',
          status: "failed",
          tag: "tool_call_update",
        },
      },
      { type: "done", data: { stopReason: "cancelled" } },
      { type: "close", data: { success: true } },
    ],
  },
  {
    title: "[A35] a turn that failed ends with its error and the agent's last words",
    actions: [
      {
        type: "chat/error",
        turnId,
        endedAt: at,
        durationMs: 5,
        resumable: true,
        error: {
          code: "ACP_AGENT_EXITED",
          message: "The agent ended.",
          retryable: true,
          detailCode: "137",
          stderrTail: ["Killed"],
        },
      },
    ],
    events: [
      {
        type: "error",
        data: {
          message: "The agent ended.",
          code: "ACP_AGENT_EXITED",
          retryable: true,
          detailCode: "137",
          stderrTail: ["Killed"],
        },
      },
      { type: "close", data: { success: false } },
    ],
  },
  {
    title: "[A35] an interrupted turn ends with its error",
    actions: [
      {
        type: "chat/turnInterrupted",
        turnId,
        endedAt: at,
        durationMs: 5,
        resumable: true,
        error: { code: "HOST_STOPPING", message: "The host stopped." },
      },
    ],
    events: [
      { type: "error", data: { message: "The host stopped.", code: "HOST_STOPPING" } },
      { type: "close", data: { success: false } },
    ],
  },
  {
    title: "[A35] a session that is closed first ends the stream with an error",
    actions: [{ type: "session/closed", at, by: { kind: "host" } }],
    events: [
      { type: "error", data: expect.objectContaining({ code: "ACP_SESSION_NOT_FOUND" }) },
      { type: "close", data: { success: false } },
    ],
  },
  {
    title: "[A36] a turn in line says nothing of the turns before it",
    before: [
      { ...started, turnId: "turn-0" },
      { type: "chat/delta", turnId: "turn-0", partId: "part-0", content: "not mine" },
      { type: "session/modeChanged", modeId: "careful" },
      { type: "chat/activityChanged", activity: "not mine" },
      { ...completed, turnId: "turn-0" },
    ],
    actions: [{ type: "chat/delta", turnId, partId: "part-1", content: "mine" }, completed],
    events: [
      {
        type: "text_delta",
        data: { text: "mine", stream: "output", tag: "agent_message_chunk", messageId: "part-1" },
      },
      ...done,
    ],
  },
  {
    title: "[A36] a turn that is taken out of the line is done as cancelled",
    before: [
      { type: "chat/pendingMessageRemoved", kind: "queued", id: "turn-0" },
      { type: "chat/pendingMessageRemoved", kind: "queued", id: turnId },
    ],
    neverBegins: true,
    actions: [],
    events: [
      { type: "done", data: { stopReason: "cancelled" } },
      { type: "close", data: { success: true } },
    ],
  },
  {
    title: "[N850] a message that another client moves to another place waits on",
    before: [
      { type: "chat/pendingMessageSet", kind: "queued", pending: waiting },
      { type: "chat/pendingMessageSet", kind: "steering", pending: waiting },
      { type: "chat/pendingMessageRemoved", kind: "queued", id: turnId },
      { type: "chat/pendingMessageSet", kind: "queued", pending: waiting },
      { type: "chat/pendingMessageRemoved", kind: "steering", id: turnId },
    ],
    actions: [completed],
    events: done,
  },
  {
    title: "[N871] a message that joins the running turn continues with that turn",
    before: [
      { type: "chat/pendingMessageSet", kind: "steering", pending: waiting },
      { type: "chat/delta", turnId: "turn-0", partId: "part-0", content: "before" },
      {
        type: "chat/responsePart",
        turnId: "turn-0",
        part: {
          kind: "systemNotification",
          notice,
          joined: { id: turnId },
        },
      },
      { type: "chat/pendingMessageRemoved", kind: "steering", id: turnId },
      { type: "chat/delta", turnId: "turn-0", partId: "part-1", content: "after" },
      { ...completed, turnId: "turn-0" },
    ],
    neverBegins: true,
    actions: [],
    events: [
      status("notice", "Sent", { notice }),
      {
        type: "text_delta",
        data: { text: "after", stream: "output", tag: "agent_message_chunk", messageId: "part-1" },
      },
      ...done,
    ],
  },
  {
    title: "[N850] a message that was moved and is then taken out is done as cancelled",
    before: [
      { type: "chat/pendingMessageSet", kind: "queued", pending: waiting },
      { type: "chat/pendingMessageSet", kind: "steering", pending: waiting },
      { type: "chat/pendingMessageRemoved", kind: "queued", id: turnId },
      { type: "chat/pendingMessageRemoved", kind: "steering", id: turnId },
    ],
    neverBegins: true,
    actions: [],
    events: [
      { type: "done", data: { stopReason: "cancelled" } },
      { type: "close", data: { success: true } },
    ],
  },
];

describe("[A30] the projection of a turn", () => {
  it.each(cases)("$title", (example) => {
    expect.hasAssertions();
    expectProjection(example);
  });
});

function thought(text: string): object {
  return {
    type: "text_delta",
    data: { text, stream: "thought", type: "thinking", tag: "agent_thought_chunk", messageId: "part-1" },
  };
}
