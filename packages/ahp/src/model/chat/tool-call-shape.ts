// The shapes of tool calls and the actions on them.
import { errorInfoShape } from "../failure.ts";
import {
  count,
  flag,
  id,
  jsonObject,
  jsonValue,
  list,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  taggedUnion,
  text,
  type FieldShapes,
  type Shape,
} from "../shape.ts";
import { terminalExitShape } from "../terminal/terminal-shape.ts";
import { approvalDecisionShape, approvalShape } from "./approval.ts";
import type {
  Confirmation,
  Confirmed,
  FileVersion,
  PendingToolCall,
  TerminalResult,
  ToolCall,
  ToolCallChanges,
  ToolCallDetails,
  ToolCancelReason,
  ToolContent,
  ToolContributor,
  ToolFailure,
  ToolLocation,
  ToolSuccess,
} from "./tool-call.ts";

const locationsShape = list(object<ToolLocation>({ path: text, line: optional(count) }));

const contributorShape = taggedUnion<ToolContributor, "kind">("kind", {
  agent: {},
  host: {},
  client: { clientId: id("client") },
});

const fileVersionShape = taggedUnion<FileVersion, "kind">("kind", {
  text: { text },
  ref: { uri: text, sizeBytes: optional(count) },
});

const terminalResultShape = object<TerminalResult>({
  exit: optional(terminalExitShape),
  preview: optional(text),
  skippedBytes: count,
});

const contentShape = list(
  taggedUnion<ToolContent, "type">("type", {
    text: { text },
    embeddedResource: { data: text, contentType: text },
    resource: { uri: text, contentType: optional(text), sizeBytes: optional(count) },
    fileEdit: { path: text, before: optional(fileVersionShape), after: optional(fileVersionShape) },
    terminal: {
      resource: id("terminal URI"),
      title: text,
      isPty: flag,
      result: optional(terminalResultShape),
      lateResult: optional(terminalResultShape),
    },
    raw: { value: jsonObject },
  }),
);

const confirmationShape = taggedUnion<Confirmation, "kind">("kind", {
  "not-needed": {},
  setting: {},
  needed: { approval: approvalShape },
  denied: { decision: approvalDecisionShape },
});

const details: FieldShapes<ToolCallDetails> = {
  toolCallId: id("tool call"),
  toolName: text,
  displayName: text,
  toolKind: text,
  locations: locationsShape,
  contributor: contributorShape,
  invocationMessage: optional(text),
  rawInput: optional(jsonValue),
  content: contentShape,
  decisions: list(approvalDecisionShape),
  startedAt: optional(text),
};
const ended = { ...details, endedAt: optional(text) };

const successShape = object<ToolSuccess>({
  success: literal(true),
  pastTenseMessage: optional(text),
  rawOutput: optional(jsonValue),
});
const failureShape = object<ToolFailure>({
  success: literal(false),
  pastTenseMessage: optional(text),
  rawOutput: optional(jsonValue),
  error: optional(errorInfoShape),
});
const outcomeShape = object<{ readonly success: boolean }>({ success: flag });
const resultShape: Shape<ToolSuccess | ToolFailure> = (value, trail): value is ToolSuccess | ToolFailure =>
  outcomeShape(value, trail) && (value.success ? successShape(value, trail) : failureShape(value, trail));

const confirmedShape = oneOf<Confirmed>("not-needed", "setting", "user-action");

export const toolCallShape = taggedUnion<ToolCall, "status">("status", {
  streaming: details,
  "pending-confirmation": { ...details, approval: approvalShape },
  running: { ...details, confirmed: confirmedShape },
  completed: { ...ended, confirmed: confirmedShape, result: successShape },
  failed: { ...ended, confirmed: confirmedShape, result: failureShape },
  cancelled: {
    ...ended,
    reason: oneOf<ToolCancelReason>("denied", "expired", "skipped", "turn-cancelled", "interrupted"),
  },
});

export const pendingToolCallShape = object<PendingToolCall>({
  ...details,
  status: literal("pending-confirmation"),
  approval: approvalShape,
});

const call = { turnId: id("turn"), toolCallId: id("tool call") };

const changesShape = object<ToolCallChanges>({
  toolName: optional(text),
  displayName: optional(text),
  toolKind: optional(text),
  locations: optional(locationsShape),
  invocationMessage: optional(nullable(text)),
  rawInput: optional(nullable(jsonValue)),
});

export const toolCallActionFields = {
  "chat/toolCallStart": {
    ...call,
    toolName: text,
    displayName: text,
    toolKind: text,
    contributor: contributorShape,
    locations: optional(locationsShape),
    rawInput: optional(jsonValue),
    startedAt: optional(text),
  },
  "chat/toolCallUpdated": { ...call, changes: changesShape },
  "chat/toolCallReady": {
    ...call,
    invocationMessage: text,
    rawInput: optional(jsonValue),
    confirmation: confirmationShape,
    startedAt: optional(text),
  },
  "chat/toolCallConfirmed": { ...call, decision: approvalDecisionShape },
  "chat/toolCallContentChanged": { ...call, content: contentShape },
  "chat/toolCallComplete": {
    ...call,
    result: resultShape,
    content: optional(contentShape),
    endedAt: optional(text),
  },
  "chat/toolCallTerminalExited": { ...call, terminal: id("terminal URI"), result: terminalResultShape },
};
