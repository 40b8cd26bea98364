// Tool calls and their content as data: actions in, events out.
import { makeId, terminalUri, type ToolContent } from "@holdfast/ahp";
import { describe, expect, it } from "vitest";
import { at, expectProjection, type ProjectionCase, status, turnId } from "../testing/projection-case.ts";
import { describeContent } from "./tool-call-events.ts";

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
    title: "[A31] a tool call is reported whole, as it starts, changes and completes",
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
    title: "[A31] a call that is described again as before is not reported again",
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
    title: "[A31] an input that comes late is reported when the call is ready",
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
    title: "[A32] a permission request has its options in all spellings, and its decision is reported",
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
    title: "[A48] a request that is decided in the same tick is still reported, then its decision",
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

const resource = terminalUri(makeId("terminal", "term-1"));

const contentCases: [string, ToolContent, object][] = [
  ["text", { type: "text", text: "hi" }, { type: "content", content: { type: "text", text: "hi" } }],
  [
    "a picture",
    { type: "embeddedResource", data: "AA==", contentType: "image/png" },
    { type: "content", content: { type: "image", data: "AA==", mimeType: "image/png" } },
  ],
  [
    "another file",
    { type: "embeddedResource", data: "AA==", contentType: "application/pdf" },
    {
      type: "content",
      content: { type: "resource", resource: { blob: "AA==", mimeType: "application/pdf" } },
    },
  ],
  [
    "a link",
    { type: "resource", uri: "file:///a", contentType: "text/plain", sizeBytes: 3 },
    {
      type: "content",
      content: {
        type: "resource_link",
        uri: "file:///a",
        name: "file:///a",
        mimeType: "text/plain",
        size: 3,
      },
    },
  ],
  [
    "a new file",
    { type: "fileEdit", path: "/a", after: { kind: "text", text: "new" } },
    { type: "diff", path: "/a", oldText: null, newText: "new" },
  ],
  [
    "a file that is gone",
    { type: "fileEdit", path: "/a", before: { kind: "text", text: "old" } },
    { type: "diff", path: "/a", oldText: "old", newText: "", deleted: true },
  ],
  [
    "a change of a long file",
    { type: "fileEdit", path: "/a", before: { kind: "ref", uri: "x:1" }, after: { kind: "ref", uri: "x:2" } },
    { type: "diff", path: "/a", oldText: null, newText: "", oldUri: "x:1", newUri: "x:2" },
  ],
  [
    "a running terminal",
    { type: "terminal", resource, title: "sh", isPty: true },
    { type: "terminal", terminalId: "term-1", resource, title: "sh", isPty: true },
  ],
  [
    "a terminal that has exited",
    {
      type: "terminal",
      resource,
      title: "sh",
      isPty: false,
      result: { exit: { kind: "signal", signal: "SIGTERM" }, preview: "bye", skippedBytes: 9 },
    },
    {
      type: "terminal",
      terminalId: "term-1",
      resource,
      title: "sh",
      isPty: false,
      output: "bye",
      exitStatus: { exitCode: null, signal: "SIGTERM" },
      truncated: true,
    },
  ],
  [
    "a terminal that exited after its call ended",
    {
      type: "terminal",
      resource,
      title: "sh",
      isPty: false,
      result: { preview: "up", skippedBytes: 0 },
      lateResult: { exit: { kind: "code", exitCode: 2 }, preview: "up, down", skippedBytes: 0 },
    },
    {
      type: "terminal",
      terminalId: "term-1",
      resource,
      title: "sh",
      isPty: false,
      output: "up, down",
      exitStatus: { exitCode: 2, signal: null },
      truncated: false,
    },
  ],
  ["an unknown kind", { type: "raw", value: { type: "song", notes: 3 } }, { type: "song", notes: 3 }],
];

it.each(contentCases)("[A31] %s", (_title, content, expected) => {
  expect(describeContent(content)).toEqual(expected);
});
