// Random values that actions are made of; few ids each, so that actions often meet.
import fc from "fast-check";
import type {
  Approval,
  ApprovalDecision,
  ApprovalSubject,
  PermissionRule,
} from "../../model/chat/approval.ts";
import type { InputRequest } from "../../model/chat/input-request.ts";
import type { Message, PendingMessage } from "../../model/chat/message.ts";
import type { ToolContent } from "../../model/chat/tool-call.ts";
import type { Notice, Plan, TextPart, WholePart } from "../../model/chat/turn.ts";
import type { Actor, ErrorInfo } from "../../model/failure.ts";
import type { LimitFired } from "../../model/limit.ts";
import { makeId, type Id, type IdKind } from "../../model/ids.ts";

/** An action without its type, for each type of a union of actions. */
export type FieldsByType<Action extends { readonly type: string }> = {
  readonly [Type in Action["type"]]: fc.Arbitrary<Omit<Extract<Action, { readonly type: Type }>, "type">>;
};

/** Any action of a union; `weights` makes some types more frequent. */
export function actionsOf<Action extends { readonly type: string }>(
  fields: FieldsByType<Action>,
  weights: { readonly [Type in Action["type"]]?: number },
): fc.Arbitrary<Action> {
  const weightOf = new Map(Object.entries<number | undefined>(weights));
  const members = Object.entries<fc.Arbitrary<object>>(fields).map(([type, arbitrary]) => ({
    arbitrary: arbitrary.map((rest) => ({ ...rest, type }) as Action),
    weight: weightOf.get(type) ?? 1,
  }));
  return fc.oneof(...members);
}

/** One of a few ids of a kind. */
export function ids<Kind extends IdKind>(kind: Kind, howMany = 3): fc.Arbitrary<Id<Kind>> {
  return fc.integer({ min: 1, max: howMany }).map((number) => makeId(kind, `${kind}-${number}`));
}

/** A field that is sometimes absent. */
export function maybe<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}

/** A short text. */
export const words: fc.Arbitrary<string> = fc.string({ maxLength: 6, unit: "grapheme" });
/** A moment of one minute. */
export const times: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 59 })
  .map((second) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`);
/** A message of a person. */
export const messages: fc.Arbitrary<Message> = words.map((text) => ({ text, origin: { kind: "user" } }));
/** A message that waits. */
export const pendingMessages: fc.Arbitrary<PendingMessage> = fc.record({
  id: ids("pending message"),
  message: messages,
});
/** Any actor of a decision. */
export const actors: fc.Arbitrary<Actor> = fc.oneof(
  ids("client").map((clientId): Actor => ({ kind: "client", clientId })),
  fc.constantFrom<Actor>({ kind: "policy", policy: "approve-all" }, { kind: "expiry" }, { kind: "host" }),
);
/** Any error. */
export const errors: fc.Arbitrary<ErrorInfo> = fc.record({ code: words, message: words });
/** A limit that fired. */
export const limits: fc.Arbitrary<LimitFired> = fc.record({
  name: words,
  value: fc.nat(),
  unit: fc.constantFrom("ms", "bytes"),
});
const commands = fc.record({
  kind: fc.constant("command"),
  line: maybe(words),
  cwd: words,
  environment: fc.array(fc.record({ name: words, value: maybe(words) }), { maxLength: 2 }),
});
const writes = fc.record({
  kind: fc.constant("write"),
  files: fc.array(fc.record({ path: words, link: maybe(words) }), { maxLength: 2 }),
});
/** The subject of a request for permission. */
export const subjects: fc.Arbitrary<ApprovalSubject> = fc.oneof(
  commands,
  writes,
  fc.constant<ApprovalSubject>({ kind: "other" }),
);
/** A standing permission. */
export const permissionRules: fc.Arbitrary<PermissionRule> = fc.record({
  id: ids("permission rule"),
  scope: fc.constantFrom("session", "folder"),
  subject: fc.oneof(commands, writes),
  createdAt: times,
  by: actors,
});
/** A request for permission. */
export const approvals: fc.Arbitrary<Approval> = fc.record({
  id: ids("approval"),
  action: words,
  target: words,
  options: fc.constant([]),
  requestedAt: times,
  subject: maybe(subjects),
  source: maybe(fc.constantFrom("host", "agent")),
  agentTitle: maybe(words),
});
/** A decision on a request for permission. */
export const decisions: fc.Arbitrary<ApprovalDecision> = fc.record({
  approvalId: ids("approval"),
  outcome: fc.constantFrom("approved", "denied", "cancelled"),
  by: actors,
  at: times,
});
/** Any content of a tool call. */
export const toolContents: fc.Arbitrary<readonly ToolContent[]> = fc.array(
  words.map((text): ToolContent => ({ type: "text", text })),
  { maxLength: 2 },
);
/** A question to a person. */
export const inputRequests: fc.Arbitrary<InputRequest> = fc.record({
  id: ids("input request"),
  requestedAt: times,
  message: maybe(words),
});
/** A plan. */
export const plans: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant("markdown"),
  id: ids("plan"),
  content: words,
});
/** A notice. */
export const notices: fc.Arbitrary<Notice> = fc.record({
  id: ids("notice"),
  at: times,
  severity: fc.constant("info"),
  title: words,
});
/** A part that an agent can send. */
export const sentParts: fc.Arbitrary<TextPart | WholePart> = fc.oneof(
  fc.record({ kind: fc.constantFrom("markdown"), id: ids("part"), content: words }),
  fc.record({ kind: fc.constantFrom("reasoning"), id: ids("part"), content: words }),
  notices.map((notice): WholePart => ({ kind: "systemNotification", notice })),
  fc
    .record({ notice: notices, id: ids("pending message") })
    .map(({ notice, id }): WholePart => ({ kind: "systemNotification", notice, joined: { id } })),
);
