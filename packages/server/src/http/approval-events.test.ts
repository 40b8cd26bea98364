// Approvals in a turn's stream: the subject of a request, and denials without one.
import { describe, expect, it } from "vitest";
import { at, expectProjection, type ProjectionCase, status, turnId } from "../testing/projection-case.ts";

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
const described = {
  ...approval,
  options: [{ id: "yes-please", label: "Allow once", kind: "allow_once", agentLabel: "Reject" }],
  subject: {
    kind: "command",
    line: "echo hi",
    cwd: "/w",
    environment: [{ name: "PATH", value: "/evil" }],
  },
  source: "host",
  agentTitle: "List the files",
};
const deniedByPolicy = {
  approvalId: "approval-1",
  outcome: "denied",
  by: { kind: "policy", policy: "deny-all" },
  at,
};
const asked = {
  ...call,
  type: "chat/toolCallReady",
  invocationMessage: "echo hi",
  confirmation: { kind: "needed", approval },
};
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

const cases: readonly ProjectionCase[] = [
  {
    title: "[A32] a request has its subject, and the agent's words beside it",
    actions: [callStarted, { ...asked, confirmation: { kind: "needed", approval: described } }],
    events: [
      { type: "tool_call", data: callEvent },
      {
        type: "permission_request",
        data: {
          ...askedEvent,
          options: [
            {
              optionId: "yes-please",
              id: "yes-please",
              name: "Allow once",
              label: "Allow once",
              kind: "allow_once",
              agentName: "Reject",
            },
          ],
          subject: described.subject,
          source: "host",
          agentTitle: "List the files",
        },
      },
    ],
  },
  {
    title: "[V606] what a policy denies has its decision, and never was a request",
    actions: [callStarted, { ...asked, confirmation: { kind: "denied", decision: deniedByPolicy } }],
    events: [
      { type: "tool_call", data: callEvent },
      status("permission_resolved", "Permission denied", {
        requestId: "approval-1",
        outcome: "denied",
        by: "policy",
      }),
      expect.objectContaining({
        type: "tool_call",
        data: expect.objectContaining({ status: "failed" }) as object,
      }),
    ],
  },
];

describe("[A32] approvals", () => {
  it.each(cases)("$title", (example) => {
    expect.hasAssertions();
    expectProjection(example);
  });
});
