// Whether a client may decide about a tool call, or speak for one of its own tools.
import type { Approval, ApprovalDecision } from "../../model/chat/approval.ts";
import type { ChatState } from "../../model/chat/chat.ts";
import type { ToolCallAction } from "../../model/chat/tool-call-actions.ts";
import type { ToolCall } from "../../model/chat/tool-call.ts";
import type { Verdict } from "../dialect.ts";
import { accept, refuse, type Author } from "./verdict.ts";

type ActionOf<Type extends ToolCallAction["type"]> = Extract<ToolCallAction, { type: Type }>;

/** The first decision on what is pending counts; it names an option that was offered, or none. */
export function judgeConfirmation(
  action: ActionOf<"chat/toolCallConfirmed">,
  chat: ChatState,
  { clientId, at }: Author,
): Verdict {
  const call = findCall(chat, action);
  const { decision } = action;
  if (call?.status !== "pending-confirmation" || call.approval.id !== decision.approvalId) {
    return refuse("That tool call does not wait for permission.");
  }
  if (decision.optionId !== undefined && !isOffered(call.approval, decision.optionId)) {
    return refuse(`The option ${JSON.stringify(decision.optionId)} is not offered.`);
  }
  return accept({
    ...action,
    decision: { ...withOption(decision, call.approval), by: { kind: "client", clientId }, at },
  });
}

/** Only the client that brought a tool says what it shows and gives back. */
export function judgeContribution(
  action: ActionOf<"chat/toolCallContentChanged" | "chat/toolCallComplete">,
  chat: ChatState,
  { clientId }: Author,
): Verdict {
  const call = findCall(chat, action);
  const isOwn = call?.contributor.kind === "client" && call.contributor.clientId === clientId;
  return isOwn ? accept(action) : refuse("That tool call is not one of this client's tools.");
}

/** Without an option, the mildest one that fits: once rather than always. */
function withOption(decision: ApprovalDecision, { options }: Approval): ApprovalDecision {
  if (decision.optionId !== undefined || decision.outcome === "cancelled") return decision;
  const kinds =
    decision.outcome === "approved" ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  for (const kind of kinds) {
    const option = options.find((candidate) => candidate.kind === kind);
    if (option) return { ...decision, optionId: option.id };
  }
  return decision;
}

function isOffered({ options }: Approval, optionId: string): boolean {
  return options.some(({ id }) => id === optionId);
}

function findCall({ activeTurn }: ChatState, { turnId, toolCallId }: ToolCallAction): ToolCall | undefined {
  if (activeTurn?.id !== turnId) return undefined;
  const part = activeTurn.responseParts.findLast(
    (candidate) => candidate.kind === "toolCall" && candidate.toolCall.toolCallId === toolCallId,
  );
  return part?.kind === "toolCall" ? part.toolCall : undefined;
}
