// Carries out what clients do in a chat: send, cancel, answer, line up.
import type {
  Action,
  Actor,
  ChatAction,
  ChatState,
  InputAnswers,
  InputValue,
  JsonValue,
} from "@holdfast/ahp";
import { HostError } from "@holdfast/protocol";
import type { AnswerResult, Approvals } from "../approval/approvals.ts";
import type { ElicitationAnswer, InputRequests } from "../approval/input-requests.ts";
import type { Hub } from "../channel/hub.ts";
import type { ActionOrigin } from "../channel/log-entry.ts";
import type { Submission } from "../terminal/terminal-desk.ts";
import type { HostSession } from "./host-session.ts";
import { rejectionOf } from "./rejection.ts";

/** Who answers questions. */
export interface ChatTools {
  readonly hub: Hub;
  readonly approvals: Approvals;
  readonly inputs: InputRequests;
}

type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { type: Type }>;

/** Does what an action of a client says; the state it leaves is told by the actions that come of it. */
export function submitChatAction(
  tools: ChatTools,
  session: HostSession,
  action: Action,
  origin: ActionOrigin,
): Submission | Promise<Submission> {
  const attribute = (run: () => void): Submission => {
    const entry = tools.hub.attribute({ uri: session.chat, type: action.type, origin }, run);
    return { outcome: "accepted", ...(entry !== undefined && { entry }) };
  };
  const by: Actor = { kind: "client", clientId: origin.clientId };
  switch (action.type) {
    case "chat/turnStarted":
      return startTurn(session, action, attribute);
    case "chat/turnCancelled":
      // The agent has to stop first: then everybody is told.
      return attribute(() => session.turns.cancelRunning(by, action.reason));
    case "chat/turnResume":
      return attribute(() => session.turns.resume(action.turnId));
    case "chat/toolCallConfirmed":
      return attribute(() => confirm(tools.approvals, session, action, by));
    case "chat/inputCompleted":
      return attribute(() =>
        check(tools.inputs.answer(action.requestId, readAnswer(action, session), by, session.key)),
      );
    case "chat/pendingMessageSet":
      return attribute(() => session.turns.setPending(action.kind, action.pending));
    case "chat/pendingMessageRemoved":
      return attribute(() => session.turns.removePending(action.kind, action.id));
    case "chat/queuedMessagesReordered":
      return attribute(() => session.turns.reorderPending(action.order));
    case "chat/inputAnswerChanged":
    case "chat/draftChanged":
    case "chat/isReadChanged":
    case "chat/isArchivedChanged":
      return attribute(() => session.dispatch({ to: "chat", action }));
    case "chat/truncated":
      return { outcome: "rejected", reason: "The agent remembers its turns: they cannot be taken back." };
    default:
      return { outcome: "rejected", reason: "Clients cannot do this in a chat." };
  }
}

/** A turn that is there already is not started again; a model that comes with the message is set before it. */
function startTurn(
  session: HostSession,
  { turnId, message, queuedMessageId }: ActionOf<"chat/turnStarted">,
  attribute: (run: () => void) => Submission,
): Submission | Promise<Submission> {
  if (queuedMessageId !== undefined) {
    return { outcome: "rejected", reason: "The host itself starts the messages that wait." };
  }
  const { activeTurn, turns } = session.conversation.state;
  if (activeTurn?.id === turnId || turns.some(({ id }) => id === turnId)) return { outcome: "accepted" };
  const model = message.model?.id;
  const begin = (): Submission => attribute(() => session.turns.begin(turnId, message));
  if (model === undefined || model === session.state.runtimeOptions.model) return begin();
  return session.patch({ model }).then(begin).catch(rejectionOf);
}

function confirm(
  approvals: Approvals,
  session: HostSession,
  { decision: { approvalId, optionId } }: ActionOf<"chat/toolCallConfirmed">,
  by: Actor,
): void {
  // Where the agent offers no such option, all that is left is to call the question off.
  if (optionId === undefined) approvals.cancel(approvalId, by);
  else check(approvals.answer(approvalId, optionId, by, session.key));
}

function check(result: AnswerResult): void {
  if (!result.resolved) throw new HostError("INVALID_REQUEST", result.reason);
}

/** The answers that were given with the last word, and those that were written before it. */
function readAnswer(
  { response, answers, requestId }: ActionOf<"chat/inputCompleted">,
  { conversation: { state } }: HostSession,
): ElicitationAnswer {
  if (response !== "accept") return { action: response };
  const all: InputAnswers = { ...findAnswers(state, requestId), ...answers };
  const content = Object.fromEntries(
    Object.entries(all).flatMap(([id, answer]) =>
      answer.state === "skipped" ? [] : [[id, plainValue(answer.value)] as const],
    ),
  );
  return { action: "accept", content, answers: all };
}

function findAnswers({ activeTurn }: ChatState, requestId: string): InputAnswers | undefined {
  const part = activeTurn?.responseParts.findLast(
    (candidate) => candidate.kind === "inputRequest" && candidate.request.id === requestId,
  );
  return part?.kind === "inputRequest" ? part.request.answers : undefined;
}

/** What a person wrote beside the choices is their answer. */
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
