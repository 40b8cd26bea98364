// The actions on a chat that clients dispatch, in the model's terms.
import type { ApprovalDecision } from "../../model/chat/approval.ts";
import type { ChatAction, ChatState } from "../../model/chat/chat.ts";
import {
  inputAnswerShape,
  inputAnswersShape,
  type InputAnswer,
  type InputAnswers,
} from "../../model/chat/input-request.ts";
import { findToolCall } from "../../model/chat/turn.ts";
import {
  makeId,
  type InputRequestId,
  type PendingMessageId,
  type ToolCallId,
  type TurnId,
} from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import { flag, id, jsonObject, list, object, oneOf, optional, text } from "../../model/shape.ts";
import type { Sender } from "../dialect.ts";
import { reader, type ActionReader } from "./wire-action.ts";
import { readMessage, writtenMessageShape } from "./message.ts";
import { readContents, readResult, writtenResultShape } from "./tool-content.ts";

type Context = Sender & { readonly state: ChatState };
type Reader = ActionReader<Context, ChatAction>;
type Written = Parameters<typeof readMessage>[0];

const turn = { turnId: id("turn") };
const call = { turnId: id("turn"), toolCallId: id("tool call") };
const kind = oneOf("steering", "queued");
const message = { message: optional(writtenMessageShape), userMessage: optional(writtenMessageShape) };

interface OfTurn {
  readonly turnId: TurnId;
}
interface OfCall extends OfTurn {
  readonly toolCallId: ToolCallId;
}
interface WithMessage {
  readonly message?: Written;
  readonly userMessage?: Written;
}

const NO_MESSAGE = "The message is missing.";

/** A reader for each type, without its prefix. */
export const chatActionReaders: { readonly [type: string]: Reader } = {
  turnStarted: reader(
    object<OfTurn & WithMessage & { queuedMessageId?: PendingMessageId }>({
      ...turn,
      ...message,
      queuedMessageId: optional(id("pending message")),
    }),
    ({ turnId, queuedMessageId, ...said }, { at }) => {
      const written = said.message ?? said.userMessage;
      if (!written) return NO_MESSAGE;
      return {
        type: "chat/turnStarted",
        turnId,
        startedAt: at,
        message: readMessage(written),
        queuedMessageId,
      };
    },
  ),
  turnCancelled: reader(object<OfTurn>(turn), ({ turnId }, { clientId, at }) => ({
    type: "chat/turnCancelled",
    turnId,
    endedAt: at,
    durationMs: 0,
    by: { kind: "client", clientId },
  })),
  turnResume: reader(object<OfTurn>(turn), ({ turnId }) => ({ type: "chat/turnResume", turnId })),
  truncated: reader(object<Partial<OfTurn>>({ turnId: optional(id("turn")) }), ({ turnId }) => ({
    type: "chat/truncated",
    turnId,
  })),
  toolCallConfirmed: reader(
    object<OfCall & WrittenDecision>({
      ...call,
      approved: flag,
      reason: optional(text),
      selectedOptionId: optional(text),
      editedToolInput: optional(text),
      userSuggestion: optional(object({ text })),
    }),
    ({ turnId, toolCallId, ...written }, context) => {
      const decision = readDecision(toolCallId, written, context);
      return typeof decision === "string"
        ? decision
        : { type: "chat/toolCallConfirmed", turnId, toolCallId, decision };
    },
  ),
  toolCallContentChanged: reader(
    object<OfCall & { content: readonly JsonObject[] }>({ ...call, content: list(jsonObject) }),
    ({ turnId, toolCallId, content }) => ({
      type: "chat/toolCallContentChanged",
      turnId,
      toolCallId,
      content: readContents(content),
    }),
  ),
  toolCallComplete: reader(
    object<OfCall & { result: Parameters<typeof readResult>[0] }>({ ...call, result: writtenResultShape }),
    ({ turnId, toolCallId, result }) => ({
      type: "chat/toolCallComplete",
      turnId,
      toolCallId,
      result: readResult(result),
      content: result.content && readContents(result.content),
    }),
  ),
  inputAnswerChanged: reader(
    object<{ requestId: InputRequestId; questionId: string; answer?: InputAnswer }>({
      requestId: id("input request"),
      questionId: text,
      answer: optional(inputAnswerShape),
    }),
    ({ requestId, questionId, answer }) => ({
      type: "chat/inputAnswerChanged",
      requestId,
      questionId,
      answer,
    }),
  ),
  inputCompleted: reader(
    object<{ requestId: InputRequestId; response: "accept" | "decline" | "cancel"; answers?: InputAnswers }>({
      requestId: id("input request"),
      response: oneOf("accept", "decline", "cancel"),
      answers: optional(inputAnswersShape),
    }),
    ({ requestId, response, answers }, { clientId }) => ({
      type: "chat/inputCompleted",
      requestId,
      response,
      answers,
      by: { kind: "client", clientId },
    }),
  ),
  pendingMessageSet: reader(
    object<WithMessage & { kind: "steering" | "queued"; id: PendingMessageId }>({
      kind,
      id: id("pending message"),
      ...message,
    }),
    ({ kind: slot, id: pendingId, ...said }) => {
      const written = said.message ?? said.userMessage;
      if (!written) return NO_MESSAGE;
      return {
        type: "chat/pendingMessageSet",
        kind: slot,
        pending: { id: pendingId, message: readMessage(written) },
      };
    },
  ),
  pendingMessageRemoved: reader(
    object<{ kind: "steering" | "queued"; id: PendingMessageId }>({ kind, id: id("pending message") }),
    ({ kind: slot, id: pendingId }) => ({ type: "chat/pendingMessageRemoved", kind: slot, id: pendingId }),
  ),
  queuedMessagesReordered: reader(
    object<{ order: readonly PendingMessageId[] }>({ order: list(id("pending message")) }),
    ({ order }) => ({ type: "chat/queuedMessagesReordered", order }),
  ),
  draftChanged: reader(
    object<{ draft?: Written }>({ draft: optional(writtenMessageShape) }),
    ({ draft }) => ({
      type: "chat/draftChanged",
      draft: draft && readMessage(draft),
    }),
  ),
  isReadChanged: reader(object({ isRead: flag }), ({ isRead }) => ({ type: "chat/isReadChanged", isRead })),
  isArchivedChanged: reader(object({ isArchived: flag }), ({ isArchived }) => ({
    type: "chat/isArchivedChanged",
    isArchived,
  })),
};

interface WrittenDecision {
  readonly approved: boolean;
  readonly reason?: string;
  readonly selectedOptionId?: string;
  readonly editedToolInput?: string;
  readonly userSuggestion?: { readonly text: string };
}

/** The decision on what waits for permission now; AHP names the tool call, the model the question (E22). */
function readDecision(
  toolCallId: ToolCallId,
  written: WrittenDecision,
  { state, clientId, at }: Context,
): ApprovalDecision | string {
  const { approved, selectedOptionId, editedToolInput, userSuggestion } = written;
  if (editedToolInput !== undefined) return "The input of a tool call cannot be edited.";
  const asking = findToolCall(state.activeTurn, toolCallId);
  // A call that asks nothing has no approval: the rules reject what names one that is not open.
  const approvalId =
    asking?.status === "pending-confirmation" ? asking.approval.id : makeId("approval", toolCallId);
  const refused = written.reason === "skipped" ? "cancelled" : "denied";
  return {
    approvalId,
    outcome: approved ? "approved" : refused,
    optionId: selectedOptionId,
    by: { kind: "client", clientId },
    at,
    suggestion: userSuggestion?.text,
  };
}
