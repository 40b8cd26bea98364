// Random actions of a chat with everything in them that a dialect must say in its own way.
import fc from "fast-check";
import type { ApprovalOption } from "../../model/chat/approval.ts";
import type { ChatAction } from "../../model/chat/chat.ts";
import type {
  FileVersion,
  TerminalResult,
  ToolContent,
  ToolFailure,
  ToolSuccess,
} from "../../model/chat/tool-call.ts";
import type { Plan } from "../../model/chat/turn.ts";
import type { TerminalExit } from "../../model/terminal/terminal.ts";
import { chatActionFields } from "./chat.ts";
import {
  actionsOf,
  actors,
  decisions,
  errors,
  ids,
  inputRequests,
  maybe,
  subjects,
  times,
  words,
  type FieldsByType,
} from "./value.ts";

const call = { turnId: ids("turn"), toolCallId: ids("tool call") };
const inputs = maybe(fc.oneof(words, fc.record({ path: words }), fc.array(fc.nat(), { maxLength: 2 })));

const versions: fc.Arbitrary<FileVersion> = fc.oneof(
  words.map((text): FileVersion => ({ kind: "text", text })),
  words.map((uri): FileVersion => ({ kind: "ref", uri: `file:///${uri}` })),
);
const terminalResults: fc.Arbitrary<TerminalResult> = fc.record({
  exit: maybe(
    fc.constantFrom<TerminalExit>({ kind: "code", exitCode: 3 }, { kind: "signal", signal: "SIGTERM" }),
  ),
  preview: maybe(words),
  skippedBytes: fc.nat(3),
});
const contents: fc.Arbitrary<readonly ToolContent[]> = fc.array(
  fc.oneof(
    words.map((text): ToolContent => ({ type: "text", text })),
    fc.record({
      type: fc.constant("fileEdit"),
      path: words,
      before: maybe(versions),
      after: maybe(versions),
    }),
    fc.record({
      type: fc.constant("terminal"),
      resource: ids("terminal URI"),
      title: fc.constant("ls"),
      isPty: fc.boolean(),
      result: maybe(terminalResults),
    }),
    fc.constant<ToolContent>({ type: "raw", value: { odd: true } }),
  ),
  { maxLength: 3 },
);

const options: readonly ApprovalOption[] = [
  { id: "yes", label: "Allow", kind: "allow_once" },
  { id: "no", label: "Refuse", kind: "reject_once" },
];
const approvals = fc.record({
  subject: maybe(subjects),
  id: ids("approval"),
  action: words,
  target: words,
  options: fc.constantFrom(options, []),
  requestedAt: times,
  expiresAt: maybe(times),
});
const results: fc.Arbitrary<ToolSuccess | ToolFailure> = fc.oneof(
  fc.record({
    success: fc.constant(true),
    pastTenseMessage: maybe(words),
    rawOutput: maybe(fc.record({ n: fc.nat() })),
  }),
  fc.record({ success: fc.constant(false), error: maybe(errors) }),
);
const plans: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant("entries"),
  id: ids("plan"),
  entries: fc.array(
    fc.record({
      content: words,
      priority: fc.constant("high"),
      status: fc.constantFrom("pending", "in_progress"),
    }),
    { maxLength: 2 },
  ),
});
const usages = fc.record({
  inputTokens: maybe(fc.nat()),
  outputTokens: maybe(fc.nat()),
  thoughtTokens: maybe(fc.nat()),
});

const richFields: FieldsByType<ChatAction> = {
  ...chatActionFields,
  "chat/turnComplete": fc.record({
    turnId: ids("turn"),
    endedAt: times,
    durationMs: fc.integer({ min: -5, max: 5 }),
    stopReason: fc.constant("end_turn"),
    usage: maybe(usages),
  }),
  "chat/usage": fc.record({ turnId: ids("turn"), usage: usages }),
  "chat/planChanged": fc.record({ turnId: ids("turn"), plan: plans }),
  "chat/toolCallStart": fc.record({
    ...call,
    toolName: words,
    displayName: words,
    toolKind: fc.constantFrom("read", "execute"),
    contributor: fc.constantFrom({ kind: "agent" }, { kind: "host" }),
    rawInput: inputs,
    startedAt: maybe(times),
  }),
  "chat/toolCallUpdated": fc.record({
    ...call,
    changes: fc.record({ displayName: words, invocationMessage: maybe(words), rawInput: inputs }),
  }),
  "chat/toolCallReady": fc.record({
    ...call,
    invocationMessage: words,
    rawInput: inputs,
    confirmation: fc.oneof(
      fc.constantFrom({ kind: "not-needed" } as const, { kind: "setting" } as const),
      approvals.map((approval) => ({ kind: "needed" as const, approval })),
      decisions.map((decision) => ({ kind: "denied" as const, decision })),
    ),
    startedAt: maybe(times),
  }),
  "chat/toolCallConfirmed": fc.record({
    ...call,
    decision: fc.record({
      approvalId: ids("approval"),
      outcome: fc.constantFrom("approved", "denied", "cancelled"),
      optionId: fc.constantFrom(undefined, "yes", "no"),
      by: actors,
      at: times,
      suggestion: maybe(words),
    }),
  }),
  "chat/toolCallContentChanged": fc.record({ ...call, content: contents }),
  "chat/toolCallComplete": fc.record({
    ...call,
    result: results,
    content: maybe(contents),
    endedAt: maybe(times),
  }),
  "chat/toolCallTerminalExited": fc.record({
    ...call,
    terminal: ids("terminal URI"),
    result: terminalResults,
  }),
  "chat/inputRequested": fc.record({ turnId: ids("turn"), request: inputRequests }),
};

/** Any action of a chat; tool calls and questions are the most frequent. */
export const richChatActions: fc.Arbitrary<ChatAction> = actionsOf<ChatAction>(richFields, {
  "chat/turnStarted": 10,
  "chat/toolCallStart": 10,
  "chat/toolCallReady": 12,
  "chat/toolCallConfirmed": 8,
  "chat/toolCallContentChanged": 8,
  "chat/toolCallUpdated": 4,
  "chat/toolCallComplete": 4,
  "chat/inputRequested": 4,
  "chat/responsePart": 4,
  "chat/delta": 6,
  "chat/turnResume": 3,
});
