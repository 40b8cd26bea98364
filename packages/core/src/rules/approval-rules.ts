// Rules for decisions on tool calls that wait for permission, and for tools that a client contributes.
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalOption,
  type ChatAction,
  type ChatState,
  type SessionState,
  type ToolCall,
  findToolCall,
  isAllowing,
  isUnfinished,
} from "@holdfast/ahp";
import { lentResultProblem } from "../editor/lent-tool.ts";
import { type Author, type Ruling, allow, clientIdOf, reject } from "./rule.ts";

type ActionOf<Type extends ChatAction["type"]> = Extract<ChatAction, { type: Type }>;

/** Why a decision on a request that waits for nobody is not applied. */
export const NOT_OPEN = reject("This request is not open: it was answered, expired, or never made.");

/** The first decision on a pending call counts; it names an option that was offered, or none (E20). */
export function checkDecision(
  action: ActionOf<"chat/toolCallConfirmed">,
  chat: ChatState,
  { actor, at }: Author,
  inputNeeded: SessionState["inputNeeded"],
): Ruling {
  const call = findCall(chat, action) ?? findLoose(inputNeeded, action);
  const { decision } = action;
  if (call?.status !== "pending-confirmation" || call.approval.id !== decision.approvalId) {
    return NOT_OPEN;
  }
  const { options } = call.approval;
  const option = decision.optionId === undefined ? undefined : findOption(options, decision.optionId);
  if (decision.optionId !== undefined && option === undefined) {
    const offered = options.map(({ id }) => id).join(", ");
    return reject(`There is no option '${decision.optionId}'. Choose one of: ${offered}.`);
  }
  if (option !== undefined && isAllowing(option.kind) !== (decision.outcome === "approved")) {
    return reject("The chosen option contradicts the decision.");
  }
  const chosen =
    option === undefined
      ? withMildestOption(decision, call.approval)
      : { ...decision, optionId: option.id, outcome: outcomeOf(option) };
  return allow({ ...action, decision: { ...chosen, by: actor, at } });
}

/** Only the client that brought a tool reports its output and its end. */
export function checkContribution(
  action: ActionOf<"chat/toolCallContentChanged" | "chat/toolCallComplete">,
  chat: ChatState,
  { actor }: Author,
): Ruling {
  const call = findCall(chat, action);
  if (chat.turns.some(({ id }) => id === action.turnId)) {
    return reject("That tool call has ended: its turn is over.");
  }
  const isOwn = call?.contributor.kind === "client" && call.contributor.clientId === clientIdOf(actor);
  if (!isOwn) return reject("That tool call is not one of this client's tools.");
  if (!isUnfinished(call)) return reject("That tool call has ended.");
  if (call.status !== "running") return reject("That tool call is not running.");
  const problem = lentResultProblem(action);
  return problem === undefined ? allow(action) : reject(problem, "BODY_TOO_LARGE");
}

/** An option by its kind where exactly one option has it, else by its id; a kind never names an option of another. */
export function findOption(options: readonly ApprovalOption[], kindOrId: string): ApprovalOption | undefined {
  const byKind = options.filter(({ kind }) => kind === kindOrId);
  if (byKind.length === 1) return byKind[0];
  const byId = options.find(({ id }) => id === kindOrId);
  const isKind = optionKinds.has(kindOrId);
  return isKind && byId?.kind !== kindOrId ? undefined : byId;
}

const optionKinds: ReadonlySet<string> = new Set([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

/** The option that allows or rejects, the one for this time before the one for always. */
export function pickOption(
  options: readonly ApprovalOption[],
  wanted: "allow" | "reject",
): ApprovalOption | undefined {
  return (
    options.find(({ kind }) => kind === `${wanted}_once`) ??
    options.find(({ kind }) => kind === `${wanted}_always`)
  );
}

/** The decision that an option stands for. */
export function outcomeOf({ kind }: ApprovalOption): "approved" | "denied" {
  return isAllowing(kind) ? "approved" : "denied";
}

function withMildestOption(decision: ApprovalDecision, { options }: Approval): ApprovalDecision {
  if (decision.outcome === "cancelled") return decision;
  const option = pickOption(options, decision.outcome === "approved" ? "allow" : "reject");
  return option === undefined ? decision : { ...decision, optionId: option.id };
}

/** A question outside of turns, which only the session holds. */
function findLoose(
  inputNeeded: SessionState["inputNeeded"],
  { decision, toolCallId }: ActionOf<"chat/toolCallConfirmed">,
): ToolCall | undefined {
  const needed = inputNeeded.find(({ id }) => id === decision.approvalId);
  const call = needed?.kind === "toolConfirmation" ? needed.toolCall : undefined;
  return call?.toolCallId === toolCallId ? call : undefined;
}

function findCall(
  { activeTurn }: ChatState,
  { turnId, toolCallId }: { readonly turnId: string; readonly toolCallId: string },
): ToolCall | undefined {
  return activeTurn?.id === turnId ? findToolCall(activeTurn, toolCallId) : undefined;
}
