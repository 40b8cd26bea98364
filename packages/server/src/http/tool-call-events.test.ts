// Tool calls and permission requests as data: actions in, exact events out.
import { describe, expect, it } from "vitest";
import { at, expectProjection, status, turnId, type ProjectionCase } from "../testing/projection-case.ts";

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

const cases: ProjectionCase[] = [
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
    title: "[A31] a call that is described again as before is not told again",
    actions: [
      callStarted,
      {
        ...call,
        type: "chat/toolCallUpdated",
        changes: { displayName: "Run echo", rawInput: { command: "echo hi" } },
      },
      { ...call, type: "chat/toolCallUpdated", changes: { rawInput: { command: "echo ho" } } },
    ],
    events: [
      { type: "tool_call", data: callEvent },
      {
        type: "tool_call",
        data: {
          ...callEvent,
          text: 'Run echo (running): {"command":"echo ho"}',
          tag: "tool_call_update",
          rawInput: { command: "echo ho" },
        },
      },
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
    title: "[A48] a request that is answered in the same breath is told all the same, then its answer",
    actions: [callStarted, asked, decided("denied")],
    events: [
      { type: "tool_call", data: callEvent },
      { type: "permission_request", data: askedEvent },
      status("permission_resolved", "Permission denied", {
        requestId: "approval-1",
        outcome: "denied",
        optionId: "no-thanks",
        by: "host",
      }),
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
];

describe("[A31] the projection of tool calls", () => {
  it.each(cases)("$title", (example) => {
    expect.hasAssertions();
    expectProjection(example);
  });
});

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
