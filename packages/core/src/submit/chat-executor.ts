// Execution of clients' submissions to a chat, once the rules allow them: send, cancel, decide, answer, queue.
import {
  type Action,
  type ChatAction,
  type ChatState,
  type InputAnswers,
  type InputValue,
  type JsonValue,
  findInputRequest,
  makeId,
  pendingMessages,
} from "@holdfast/ahp";
import type { Approvals } from "../approval/approvals.ts";
import type { Audit } from "../audit/audit.ts";
import type { ElicitationAnswer, InputRequests } from "../approval/input-requests.ts";
import { checkChatAction, textRejection } from "../rules/chat-rules.ts";
import { hostOnly } from "../rules/rule.ts";
import type { HostSession } from "../session/host-session.ts";
import { withAnnotationText } from "../session/annotation-text.ts";
import { patch } from "./session-executor.ts";
import {
  type Request,
  type Submission,
  type SubmittedBy,
  accepted,
  isRequest,
  rejected,
  rejectionOf,
} from "./submission.ts";

export interface ChatDeps {
  readonly approvals: Approvals;
  readonly inputs: InputRequests;
  readonly audit: Audit;
  readonly now: () => Date;
}

type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { type: Type }>;

export function submitToChat(
  deps: ChatDeps,
  session: HostSession,
  submitted: Action | Request,
  by: SubmittedBy,
): Submission | Promise<Submission> {
  if (!isRequest(submitted)) {
    return startsKnownTurn(session, submitted) ? accepted() : submitAction(deps, session, submitted, by);
  }
  switch (submitted.type) {
    case "chat/send": {
      const rejection = textRejection(submitted.request.message);
      if (rejection !== undefined) return rejected(rejection);
      const { turnId, isRepeated } = session.turns.take(submitted.request, submitted.isInteractive);
      return accepted(undefined, { turnId, isRepeated });
    }
    case "chat/cancel":
      return (
        submitted.includesQueued === true
          ? session.turns.cancelAll(by.actor, submitted.reason)
          : session.turns.cancel(by.actor, submitted.reason, submitted.turnId)
      ).then(() => accepted());
    default:
      return rejected(hostOnly(submitted));
  }
}

/** A turn that is sent again changes nothing, whatever runs now (E21). */
function startsKnownTurn({ chat }: HostSession, submitted: Action): boolean {
  if (submitted.type !== "chat/turnStarted") return false;
  const { turnId } = submitted;
  const pendingId = makeId("pending message", turnId);
  return chat.hasBegun(turnId) || pendingMessages(chat.state).some(({ id }) => id === pendingId);
}

function submitAction(
  deps: ChatDeps,
  session: HostSession,
  submitted: Action,
  by: SubmittedBy,
): Submission | Promise<Submission> {
  const { actor, origin } = by;
  const { turns, chat } = session;
  // By the clock, whatever became of the timer: nothing is approved after its time.
  if (submitted.type === "chat/toolCallConfirmed") deps.approvals.expireDue();
  if (submitted.type === "chat/inputCompleted") deps.inputs.expireDue();
  const author = { actor, at: deps.now().toISOString() };
  const ruling = checkChatAction(
    withAnnotations(submitted, session),
    chat.state,
    author,
    session.state.inputNeeded,
  );
  if (!ruling.allowed) return rejected(ruling);
  const { action } = ruling;
  switch (action.type) {
    case "chat/turnStarted":
      return startTurn(deps, session, action, by);
    case "chat/turnCancelled":
      // The agent has to stop first: then the end is published.
      return accepted(turns.cancelRunning(actor, action.reason, origin));
    case "chat/turnResume":
      return accepted(turns.resume(action.turnId, origin));
    case "chat/toolCallConfirmed":
      return accepted(deps.approvals.decide(action.decision, origin));
    case "chat/inputCompleted":
      return accepted(deps.inputs.complete(action.requestId, readAnswer(action, chat.state), actor, origin));
    case "chat/pendingMessageSet":
      return accepted(turns.setPending(action.kind, action.pending, origin));
    case "chat/pendingMessageRemoved":
      return accepted(turns.removePending(action.kind, action.id, origin));
    case "chat/queuedMessagesReordered":
      return accepted(turns.reorderPending(action.order, origin));
    case "chat/toolCallContentChanged":
    case "chat/toolCallComplete":
    case "chat/inputAnswerChanged":
    case "chat/draftChanged":
    case "chat/isReadChanged":
    case "chat/isArchivedChanged":
      return accepted(session.dispatch({ to: "chat", action }, origin));
    default:
      throw new Error(`No executor for ${action.type}`);
  }
}

/** The text of annotations is fixed when their message is sent. */
function withAnnotations(submitted: Action, { uri, state: { annotations } }: HostSession): Action {
  switch (submitted.type) {
    case "chat/turnStarted":
      return { ...submitted, message: withAnnotationText(submitted.message, uri, annotations) };
    case "chat/pendingMessageSet": {
      const { pending } = submitted;
      const message = withAnnotationText(pending.message, uri, annotations);
      return { ...submitted, pending: { ...pending, message } };
    }
    default:
      return submitted;
  }
}

/** A model that comes with the message is set before the turn. */
function startTurn(
  { audit }: ChatDeps,
  session: HostSession,
  { turnId, message }: ActionOf<"chat/turnStarted">,
  by: SubmittedBy,
): Submission | Promise<Submission> {
  const { turns } = session;
  const model = message.model?.id;
  const begin = (): Submission => accepted(turns.begin(turnId, message, by.origin));
  if (model === undefined || model === session.state.runtimeOptions.model) return begin();
  const set = patch(audit, session, { model }, { ...by, origin: undefined });
  return set
    .then((submission) => (submission.outcome === "accepted" ? begin() : submission))
    .catch(rejectionOf);
}

/** The answers that came with the completion, and those that were written before it. */
function readAnswer(
  { response, answers, requestId }: ActionOf<"chat/inputCompleted">,
  { activeTurn }: ChatState,
): ElicitationAnswer {
  if (response !== "accept") return { action: response };
  const all: InputAnswers = { ...findInputRequest(activeTurn, requestId)?.request.answers, ...answers };
  const content = Object.fromEntries(
    Object.entries(all).flatMap(([id, answer]) =>
      answer.state === "skipped" ? [] : [[id, plainValue(answer.value)] as const],
    ),
  );
  return { action: "accept", content, answers: all };
}

/** Text that a person wrote beside the choices is their answer. */
function plainValue(value: InputValue): JsonValue {
  switch (value.kind) {
    case "selected":
      return value.freeformValues?.[0] ?? value.value;
    case "selected-many":
      return [...value.value, ...(value.freeformValues ?? [])];
    default:
      return value.value;
  }
}
