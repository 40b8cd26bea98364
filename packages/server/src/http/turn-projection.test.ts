// The projection as data: actions of a turn in, the exact events of its stream out.
import { channelModels, makeId, type Action } from "@holdfast/ahp";
import { OPERATIONS } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import { TurnProjection } from "./turn-projection.ts";

const turnId = "turn-1";
const at = "2026-01-02T03:04:05.000Z";
const started = {
  type: "chat/turnStarted",
  turnId,
  startedAt: at,
  message: { text: "hi", origin: { kind: "user" } },
};
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
const callEvent = {
  text: 'Run echo (running): {"command":"echo hi"}',
  title: "Run echo",
  toolCallId: "call-1",
  status: "running",
  tag: "tool_call",
  kind: "execute",
  rawInput: { command: "echo hi" },
};
const approval = {
  id: "approval-1",
  action: "execute",
  target: "echo hi",
  options: [
    { id: "yes-please", label: "Allow", kind: "allow_once" },
    { id: "no-thanks", label: "Reject", kind: "reject_once" },
  ],
  requestedAt: at,
  expiresAt: "2026-01-03T03:04:05.000Z",
};
const asked = {
  ...call,
  type: "chat/toolCallReady",
  invocationMessage: "echo hi",
  confirmation: { kind: "needed", approval },
};
const decided = (outcome: string): object => ({
  ...call,
  type: "chat/toolCallConfirmed",
  decision: { approvalId: "approval-1", outcome, optionId: "no-thanks", by: { kind: "host" }, at },
});
const askedEvent = {
  requestId: "approval-1",
  action: "execute",
  target: "echo hi",
  options: [
    { optionId: "yes-please", id: "yes-please", name: "Allow", label: "Allow", kind: "allow_once" },
    { optionId: "no-thanks", id: "no-thanks", name: "Reject", label: "Reject", kind: "reject_once" },
  ],
  expiresAt: "2026-01-03T03:04:05.000Z",
  toolCallId: "call-1",
  kind: "execute",
  title: "Run echo",
  rawInput: { command: "echo hi" },
};

interface Case {
  readonly title: string;
  /** What happens after the turn began. */
  readonly actions: readonly object[];
  /** What is told of it. */
  readonly events: readonly object[];
  /** Approvals that are open; `approval-1` unless said otherwise. */
  readonly open?: readonly string[];
  /** What happens before the turn begins. */
  readonly before?: readonly object[];
  readonly neverBegins?: boolean;
}

const cases: Case[] = [
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
    title: "[A30] what is neither text nor thought is told as a status",
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
    title: "[A31] a tool call is told whole, as it starts, changes and completes",
    actions: [
      callStarted,
      {
        ...call,
        type: "chat/toolCallUpdated",
        changes: { displayName: "Run it", locations: [{ path: "/a", line: 3 }] },
      },
      {
        ...call,
        type: "chat/toolCallReady",
        invocationMessage: "echo hi",
        confirmation: { kind: "not-needed" },
      },
      { ...call, type: "chat/toolCallContentChanged", content: [{ type: "text", text: "hi\n" }] },
      { ...call, type: "chat/toolCallComplete", result: { success: true, rawOutput: "hi\n" } },
      { ...call, type: "chat/toolCallUpdated", changes: { displayName: "Too late" } },
    ],
    events: [
      { type: "tool_call", data: callEvent },
      toolCallUpdate({ text: 'Run it (running): {"command":"echo hi"}' }),
      toolCallUpdate({
        text: 'Run it (running): {"command":"echo hi"}',
        content: [{ type: "content", content: { type: "text", text: "hi\n" } }],
      }),
      toolCallUpdate({
        text: "Run it (completed): hi\n",
        status: "completed",
        rawOutput: "hi\n",
        content: [{ type: "content", content: { type: "text", text: "hi\n" } }],
      }),
    ],
  },
  {
    title: "[A31] a failed call says so, and a summary stays short",
    actions: [
      { ...callStarted, rawInput: undefined },
      { ...call, type: "chat/toolCallComplete", result: { success: false, rawOutput: "x".repeat(501) } },
    ],
    events: [
      {
        type: "tool_call",
        data: {
          text: "Run echo (running)",
          title: "Run echo",
          toolCallId: "call-1",
          status: "running",
          tag: "tool_call",
          kind: "execute",
        },
      },
      {
        type: "tool_call",
        data: {
          text: `Run echo (failed): ${"x".repeat(500)}`,
          title: "Run echo",
          toolCallId: "call-1",
          status: "failed",
          tag: "tool_call_update",
          kind: "execute",
          rawOutput: "x".repeat(501),
        },
      },
    ],
  },
  {
    title: "[A31] an input that comes late is told when the call is ready",
    actions: [
      { ...callStarted, rawInput: undefined },
      {
        ...call,
        type: "chat/toolCallReady",
        invocationMessage: "echo hi",
        rawInput: "echo hi",
        confirmation: { kind: "setting" },
      },
    ],
    events: [
      expect.objectContaining({ type: "tool_call" }),
      {
        type: "tool_call",
        data: {
          ...callEvent,
          text: "Run echo (running): echo hi",
          tag: "tool_call_update",
          rawInput: "echo hi",
        },
      },
    ],
  },
  {
    title: "[A32] a permission request has its options in all spellings, and its answer is told",
    actions: [
      callStarted,
      asked,
      {
        ...call,
        type: "chat/toolCallConfirmed",
        decision: {
          approvalId: "approval-1",
          outcome: "approved",
          optionId: "yes-please",
          by: { kind: "client", clientId: "owner" },
          at,
        },
      },
    ],
    events: [
      { type: "tool_call", data: callEvent },
      { type: "permission_request", data: askedEvent },
      status("permission_resolved", "Permission approved", {
        requestId: "approval-1",
        outcome: "approved",
        optionId: "yes-please",
        by: "client",
      }),
    ],
  },
  {
    title: "[A32] a request without an end of its time has none",
    actions: [
      callStarted,
      { ...asked, confirmation: { kind: "needed", approval: { ...approval, expiresAt: undefined } } },
    ],
    events: [
      { type: "tool_call", data: callEvent },
      { type: "permission_request", data: { ...askedEvent, expiresAt: null } },
    ],
  },
  {
    title: "[A32] a request that is answered already is not told, but what became of the call is",
    open: [],
    actions: [callStarted, asked, decided("denied")],
    events: [
      { type: "tool_call", data: callEvent },
      {
        type: "tool_call",
        data: {
          ...callEvent,
          text: 'Run echo (denied): {"command":"echo hi"}',
          status: "failed",
          tag: "tool_call_update",
        },
      },
    ],
  },
  {
    title: "[A33] plans and usage are statuses",
    actions: [
      {
        type: "chat/planChanged",
        turnId,
        plan: {
          kind: "entries",
          id: "plan-1",
          entries: [
            { content: "one", priority: "high", status: "completed" },
            { content: "two", priority: "low", status: "pending" },
          ],
        },
      },
      { type: "chat/planChanged", turnId, plan: { kind: "markdown", id: "plan-1", content: "- one" } },
      { type: "chat/planRemoved", turnId, planId: "plan-1" },
      {
        type: "chat/contextUsageChanged",
        contextUsage: { usedTokens: 10, sizeTokens: 100, cost: { amount: 1, currency: "EUR" } },
      },
      { type: "chat/usage", turnId, usage: { inputTokens: 3 } },
    ],
    events: [
      status("plan", "1 of 2 steps completed", {
        planId: "plan-1",
        entries: [
          { content: "one", priority: "high", status: "completed" },
          { content: "two", priority: "low", status: "pending" },
        ],
      }),
      status("plan", "- one", { planId: "plan-1" }),
      status("plan", "The plan was dropped", { planId: "plan-1", entries: [] }),
      status("usage_update", "10 of 100 tokens in context", {
        used: 10,
        size: 100,
        cost: { amount: 1, currency: "EUR" },
      }),
      status("usage_update", "Tokens used", { breakdown: { inputTokens: 3 } }),
    ],
  },
  {
    title: "[A33] an update of an unknown kind is passed on as it came",
    actions: [
      {
        type: "chat/agentUpdateReceived",
        updateKind: "weather_update",
        update: { sessionUpdate: "weather_update", sky: "blue" },
      },
      { type: "chat/activityChanged", activity: "No sign of life for 2 minutes" },
      { type: "chat/activityChanged" },
    ],
    events: [
      status("weather_update", "weather_update", {
        update: { sessionUpdate: "weather_update", sky: "blue" },
      }),
      status("activity", "No sign of life for 2 minutes"),
    ],
  },
  {
    title: "[A33] what happens to the session is a status with ACP's tags",
    actions: [
      {
        type: "session/commandsChanged",
        commands: [
          { name: "read", description: "Reads", inputHint: "a path" },
          { name: "help", description: "Helps" },
        ],
      },
      { type: "session/modeChanged", modeId: "careful" },
      {
        type: "session/configOptionsChanged",
        configOptions: [
          { id: "fast", name: "Fast", type: "boolean", currentValue: true },
          {
            id: "model",
            name: "Model",
            type: "select",
            currentValue: "a",
            choices: [{ value: "a", name: "A" }],
          },
        ],
      },
      { type: "session/configChanged", config: { fast: false } },
      { type: "session/titleChanged", title: "A walk" },
      { type: "session/resuming" },
      { type: "session/contextLost", at, reason: "It forgot." },
      { type: "session/isReadChanged", isRead: true },
    ],
    events: [
      status("available_commands_update", "2 commands available", {
        availableCommands: [
          { name: "read", description: "Reads", input: { hint: "a path" } },
          { name: "help", description: "Helps" },
        ],
      }),
      status("current_mode_update", "Mode careful", { currentModeId: "careful" }),
      status("config_option_update", "Options changed", {
        configOptions: [
          { id: "fast", name: "Fast", type: "boolean", currentValue: true },
          {
            id: "model",
            name: "Model",
            type: "select",
            currentValue: "a",
            options: [{ value: "a", name: "A" }],
          },
        ],
      }),
      status("config_option_update", "Options changed", { config: { fast: false } }),
      status("session_info_update", "A walk", { title: "A walk" }),
      status("resuming", "The agent is being started again"),
      status("context_lost", "It forgot."),
    ],
  },
  {
    title: "[A34] a question is a status with its fields, and its answer is told",
    actions: [
      {
        type: "chat/inputRequested",
        turnId,
        request: {
          id: "input-1",
          message: "Which one?",
          questions: [{ id: "which", kind: "text", message: "Which one?" }],
          requestedAt: at,
        },
      },
      { type: "chat/inputCompleted", requestId: "input-1", response: "accept", by: { kind: "host" } },
      { type: "chat/inputCompleted", requestId: "input-0", response: "accept", by: { kind: "host" } },
    ],
    events: [
      status("input_request", "Which one?", {
        requestId: "input-1",
        message: "Which one?",
        questions: [{ id: "which", kind: "text", message: "Which one?" }],
        requestedAt: at,
      }),
      status("input_resolved", "Question answered: accept", { requestId: "input-1", response: "accept" }),
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
];

describe("[A30] the projection of a turn", () => {
  it.each(cases)("$title", ({ actions, events, open = ["approval-1"], before = [], neverBegins = false }) => {
    const projection = new TurnProjection({
      turnId: makeId("turn", turnId),
      isApprovalOpen: (id) => open.includes(id),
    });
    const all = [...before, ...(neverBegins ? [] : [started]), ...actions];
    const told = all.flatMap((action) => projection.project(readAction(action)));
    expect(told).toEqual(events);
    for (const event of told) OPERATIONS.streamChat.response.parse(event);
    expect(projection.isOver).toBe(told.at(-1)?.type === "close");
  });
});

/** The action of the model that the data stands for; data that is none fails the test. */
function readAction(data: object): Action {
  const value: unknown = JSON.parse(JSON.stringify(data));
  const kind = JSON.stringify(value).startsWith('{"type":"session/') ? "session" : "chat";
  const checked = channelModels[kind].checkAction(value);
  if (!checked.ok) throw new Error(checked.problem);
  return checked.value;
}

function thought(text: string): object {
  return {
    type: "text_delta",
    data: { text, stream: "thought", type: "thinking", tag: "agent_thought_chunk", messageId: "part-1" },
  };
}

function status(tag: string, text: string, facts: object = {}): object {
  return { type: "status", data: { text, tag, ...facts } };
}

function toolCallUpdate(facts: object): object {
  return {
    type: "tool_call",
    data: {
      ...callEvent,
      title: "Run it",
      tag: "tool_call_update",
      locations: [{ path: "/a", line: 3 }],
      ...facts,
    },
  };
}
