// A turn as agents make it: thoughts, a plan, an edit that needs permission, a command in a terminal, a question.
import type { ChatAction, ChatState } from "../model/chat/chat.ts";
import { reduceChat } from "../model/chat/chat-reducer.ts";
import { makeId } from "../model/ids.ts";
import { defaultChatUri } from "../model/uri.ts";
import { newStates } from "./states.ts";

const turnId = makeId("turn", "t1");
const edit = makeId("tool call", "edit");
const approvalId = makeId("approval", "a1");
const requestId = makeId("input request", "q1");
const at = "2026-01-01T00:00:00.000Z";
const markdown = makeId("part", "m1");

/** The chat in which it happens: the default one of the session. */
export const storyChat: ChatState = {
  ...newStates.chat,
  resource: defaultChatUri(newStates.session.resource),
};

const message = { text: "Fix it", origin: { kind: "user" } };

/** The beginning, up to the question whether the edit may be made. */
export const askingActions: readonly ChatAction[] = [
  { type: "chat/turnStarted", turnId, startedAt: at, message },
  { type: "chat/responsePart", turnId, part: { kind: "markdown", id: markdown, content: "I " } },
  { type: "chat/delta", turnId, partId: markdown, content: "look" },
  {
    type: "chat/planChanged",
    turnId,
    plan: {
      kind: "entries",
      id: makeId("plan", "p"),
      entries: [{ content: "Fix the file", priority: "high", status: "in_progress" }],
    },
  },
  {
    type: "chat/toolCallStart",
    turnId,
    toolCallId: edit,
    toolName: "edit",
    displayName: "Edit a.ts",
    toolKind: "edit",
    contributor: { kind: "agent" },
    locations: [{ path: "/w/a.ts", line: 3 }],
  },
  {
    type: "chat/toolCallContentChanged",
    turnId,
    toolCallId: edit,
    content: [
      {
        type: "fileEdit",
        path: "/w/a.ts",
        before: { kind: "text", text: "old" },
        after: { kind: "ref", uri: "file:///spool/1", sizeBytes: 9 },
      },
    ],
  },
  {
    type: "chat/toolCallReady",
    turnId,
    toolCallId: edit,
    invocationMessage: "Edit a.ts",
    rawInput: { path: "/w/a.ts" },
    confirmation: {
      kind: "needed",
      approval: {
        id: approvalId,
        action: "write",
        target: "/w/a.ts",
        options: [
          { id: "always", label: "Always", kind: "allow_always" },
          { id: "once", label: "Once", kind: "allow_once" },
          { id: "no", label: "No", kind: "reject_once" },
        ],
        requestedAt: at,
      },
    },
  },
];

/** The rest: it may, it does, and one question is still open when the turn fails. */
export const failingActions: readonly ChatAction[] = [
  {
    type: "chat/toolCallConfirmed",
    turnId,
    toolCallId: edit,
    decision: {
      approvalId,
      outcome: "approved",
      optionId: "once",
      by: { kind: "client", clientId: makeId("client", "ada") },
      at,
    },
  },
  { type: "chat/toolCallComplete", turnId, toolCallId: edit, result: { success: true } },
  { type: "chat/usage", turnId, usage: { inputTokens: 5 } },
  { type: "chat/usage", turnId, usage: { outputTokens: 7 } },
  { type: "chat/contextUsageChanged", contextUsage: { usedTokens: 10, sizeTokens: 100 } },
  { type: "chat/inputRequested", turnId, request: { id: requestId, requestedAt: at, message: "Which?" } },
  {
    type: "chat/error",
    turnId,
    endedAt: at,
    durationMs: 12,
    error: { code: "agent_exited", message: "The agent has ended." },
    resumable: true,
  },
];

/** The chat after some of the actions. */
export function storyAfter(...actions: readonly ChatAction[]): ChatState {
  return actions.reduce(reduceChat, storyChat);
}
