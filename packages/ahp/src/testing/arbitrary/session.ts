// Random actions of a session.
import fc from "fast-check";
import type { ChatPhase } from "../../model/chat/chat.ts";
import type { SessionAction, SessionInputRequest } from "../../model/session/session.ts";
import type { ConfigOption } from "../../model/session/settings.ts";
import {
  actionsOf,
  actors,
  errors,
  ids,
  inputRequests,
  maybe,
  notices,
  permissionRules,
  times,
  words,
  type FieldsByType,
} from "./value.ts";

const phases: fc.Arbitrary<ChatPhase> = fc.oneof(
  fc.constant<ChatPhase>({ status: "idle" }),
  fc.record({
    status: fc.constant("busy"),
    turnId: ids("turn"),
    waitingFor: fc.constantFrom("model", "permission"),
  }),
);
const requests: fc.Arbitrary<SessionInputRequest> = fc.record({
  kind: fc.constant("chatInput"),
  id: ids("input request"),
  chat: ids("chat URI"),
  request: inputRequests,
});
const options: fc.Arbitrary<ConfigOption> = fc.oneof(
  fc.record({ type: fc.constant("boolean"), id: words, name: words, currentValue: fc.boolean() }),
  fc.record({
    type: fc.constant("select"),
    id: words,
    name: words,
    currentValue: fc.constantFrom("x", "y"),
    choices: fc.constant([
      { value: "x", name: "X" },
      { value: "y", name: "Y" },
    ]),
  }),
);
const modeIds = fc.constantFrom("ask", "code", "fly");

/** The fields of each action of a session. */
export const sessionActionFields: FieldsByType<SessionAction> = {
  "session/ready": fc.record({ at: times, backendId: maybe(words) }),
  "session/creationFailed": fc.record({ error: errors }),
  "session/stale": fc.record({
    at: times,
    cause: fc.constantFrom("evicted", "agent-exited"),
    error: maybe(errors),
  }),
  "session/resuming": fc.constant({}),
  "session/contextLost": fc.record({ at: times, reason: words }),
  "session/closed": fc.record({ at: times, by: actors }),
  "session/reopened": fc.record({ at: times, by: actors }),
  "session/chatAdded": fc.record({
    chat: fc.record({
      resource: ids("chat URI"),
      title: words,
      modifiedAt: times,
      isRead: fc.boolean(),
      isArchived: fc.boolean(),
      phase: phases,
    }),
  }),
  "session/chatUpdated": fc.record({
    chat: ids("chat URI"),
    changes: fc.record({
      title: maybe(words),
      activity: maybe(fc.option(words)),
      phase: phases,
      modifiedAt: times,
    }),
  }),
  "session/chatRemoved": fc.record({ chat: ids("chat URI") }),
  "session/defaultChatChanged": fc.record({ defaultChat: maybe(ids("chat URI")) }),
  "session/inputNeededSet": fc.record({ request: requests }),
  "session/inputNeededRemoved": fc.record({ id: ids("input request") }),
  "session/runtimeOptionsChanged": fc.record({
    changes: fc.record({
      model: fc.option(words),
      timeoutSeconds: maybe(fc.option(fc.nat())),
      approvalPolicy: fc.constantFrom(null, "deny-all", "ask"),
    }),
  }),
  "session/limitsChanged": fc.record({
    limits: maybe(
      fc.constant([{ name: "memory", value: 1024, unit: "bytes", level: "session", by: "cgroup2" }] as const),
    ),
  }),
  "session/commandsChanged": fc.record({
    commands: fc.array(fc.record({ name: words, description: words }), { maxLength: 2 }),
  }),
  "session/modesChanged": fc.record({
    modes: maybe(
      fc.constant({
        available: [
          { id: "ask", name: "Ask" },
          { id: "code", name: "Code" },
        ],
        currentModeId: "ask",
      }),
    ),
  }),
  "session/modeChanged": fc.record({ modeId: modeIds }),
  "session/configOptionsChanged": fc.record({ configOptions: fc.array(options, { maxLength: 3 }) }),
  "session/configChanged": fc.record({ config: fc.dictionary(words, fc.constantFrom("x", "z", true)) }),
  "session/titleChanged": fc.record({ title: words }),
  "session/labelChanged": fc.record({ label: maybe(words) }),
  "session/activityChanged": fc.record({ activity: maybe(words) }),
  "session/isolationChanged": fc.record({
    isolation: fc.record({
      wanted: fc.constantFrom("guard", "workspace"),
      level: fc.constantFrom("none", "guard"),
      backend: maybe(words),
      gaps: maybe(fc.array(words, { maxLength: 2 })),
      reason: maybe(words),
    }),
  }),
  "session/isReadChanged": fc.record({ isRead: fc.boolean() }),
  "session/isArchivedChanged": fc.record({ isArchived: fc.boolean() }),
  "session/workingDirectoriesChanged": fc.record({ workingDirectories: fc.array(words, { maxLength: 2 }) }),
  "session/activeClientSet": fc.record({
    client: fc.record({ clientId: ids("client"), tools: fc.constant([]) }),
  }),
  "session/activeClientRemoved": fc.record({ clientId: ids("client") }),
  "session/noticeAdded": fc.record({ notice: notices }),
  "session/errorReported": fc.record({ error: errors }),
  "session/changesChanged": fc.record({
    changes: maybe(fc.record({ files: fc.nat(), additions: fc.nat(), deletions: fc.nat() })),
  }),
  "session/reviewedFilesChanged": fc.record({
    files: fc.array(fc.record({ path: words, version: words }), { maxLength: 2 }),
  }),
  "session/annotationSet": fc.record({
    annotation: fc.record({
      id: words,
      turnId: words,
      resource: words,
      range: maybe(
        fc.record({
          start: fc.record({ line: fc.nat(), character: fc.nat() }),
          end: fc.record({ line: fc.nat(), character: fc.nat() }),
        }),
      ),
      isResolved: fc.boolean(),
      entries: fc.array(fc.record({ id: words, text: words }), { minLength: 1, maxLength: 2 }),
    }),
  }),
  "session/annotationRemoved": fc.record({ id: words }),
  "session/permissionRuleAdded": fc.record({ rule: permissionRules }),
  "session/permissionRuleRemoved": fc.record({ id: ids("permission rule") }),
};

/** Any action of a session; those that end it are rare. */
export const sessionActions: fc.Arbitrary<SessionAction> = actionsOf<SessionAction>(sessionActionFields, {
  "session/ready": 8,
  "session/stale": 6,
  "session/resuming": 6,
  "session/chatAdded": 4,
  "session/chatUpdated": 8,
  "session/inputNeededSet": 6,
  "session/configOptionsChanged": 4,
});
