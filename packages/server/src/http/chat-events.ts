// What is said in a chat, beside tool calls, as events of a turn's stream.
import type { ChatAction, InputRequest, Plan, TextPart, WholePart } from "@holdfast/ahp";
import { textDelta, type TurnEvent } from "@holdfast/protocol";
import { statusEvent } from "./turn-events.ts";

/** The events for a new part: its first piece of text, or what it refers to. */
export function describePart(part: TextPart | WholePart): TurnEvent[] {
  switch (part.kind) {
    case "markdown":
      return part.content === "" ? [] : [textDelta(part.content, "output", part.id)];
    case "reasoning":
      return part.content === "" ? [] : [textDelta(part.content, "thought", part.id)];
    case "contentRef": {
      const { uri, contentType, sizeBytes } = part;
      const link = {
        type: "resource_link",
        uri,
        ...(contentType !== undefined && { mimeType: contentType }),
        ...(sizeBytes !== undefined && { size: sizeBytes }),
      };
      return [statusEvent("content", contentType ?? "Content", { update: link })];
    }
    case "systemNotification":
      return [statusEvent("notice", part.notice.title, { notice: part.notice })];
  }
}

/** A plan as it is now. */
export function describePlan(plan: Plan): TurnEvent {
  if (plan.kind === "markdown") return statusEvent("plan", plan.content, { planId: plan.id });
  const completed = plan.entries.filter((entry) => entry.status === "completed").length;
  const text = `${completed} of ${plan.entries.length} steps completed`;
  return statusEvent("plan", text, { entries: plan.entries, planId: plan.id });
}

/** A question to a person: a form to fill in or an address to visit. */
export function describeInputRequest(request: InputRequest): TurnEvent {
  const { id, message = "", ...fields } = request;
  return statusEvent("input_request", message, { requestId: id, message, ...fields });
}

/** The events for an action that tells of the chat as a whole while the turn runs. */
export function describeChatDetail(action: ChatAction): TurnEvent[] {
  switch (action.type) {
    case "chat/contextUsageChanged": {
      const { usedTokens: used, sizeTokens: size, cost } = action.contextUsage;
      const text = `${used} of ${size} tokens in context`;
      return [statusEvent("usage_update", text, { used, size, ...(cost !== undefined && { cost }) })];
    }
    case "chat/activityChanged":
      return action.activity === undefined ? [] : [statusEvent("activity", action.activity)];
    case "chat/agentUpdateReceived":
      return [statusEvent(action.updateKind, action.updateKind, { update: action.update })];
    default:
      return [];
  }
}
