// Parts of turns as updates of an ACP session, and the history of a session as the updates it would have been.
import {
  type ActiveTurn,
  type Message,
  type Plan,
  type ResponsePart,
  type TextPart,
  type Turn,
  turnParts,
  type WholePart,
} from "@holdfast/ahp";
import { type ContentBlock, messageBlocks, partBlock, textBlock } from "./content.ts";
import type { EditorFeatures } from "./features.ts";
import {
  announceCall,
  replayTerminal,
  type SessionUpdate,
  terminalsOf,
  type TerminalView,
} from "./tool-call.ts";

export function userMessage(message: Message, messageId: string): SessionUpdate[] {
  return messageBlocks(message).map((content) => chunk("user_message_chunk", content, messageId));
}

export function textUpdate(kind: TextPart["kind"], text: string, messageId: string): SessionUpdate {
  const sessionUpdate = kind === "markdown" ? "agent_message_chunk" : "agent_thought_chunk";
  return chunk(sessionUpdate, textBlock(text), messageId);
}

/** A new part; text that only repeats a command's output says so. */
export function partUpdate(part: TextPart | WholePart, features: EditorFeatures): SessionUpdate {
  if (part.kind === "markdown" || part.kind === "reasoning") {
    const update = textUpdate(part.kind, part.content, part.id);
    const repeats = part.kind === "markdown" ? part.repeats : undefined;
    return repeats === undefined ? update : { ...update, _meta: { holdfast: { repeatsToolCall: repeats } } };
  }
  if (part.kind === "contentRef") return chunk("agent_message_chunk", partBlock(part), part.id);
  const { severity, title, description, id } = part.notice;
  if (!features.notices) return chunk("agent_thought_chunk", partBlock(part), id);
  return { sessionUpdate: "notice", severity, title, ...(description !== undefined && { description }) };
}

/** Something that the host itself has to say. */
export function noticeUpdate(title: string, description: string, features: EditorFeatures): SessionUpdate {
  if (features.notices) return { sessionUpdate: "notice", severity: "warning", title, description };
  return { sessionUpdate: "agent_thought_chunk", content: textBlock(`[${title}. ${description}]\n`) };
}

function chunk(sessionUpdate: string, content: ContentBlock, messageId: string): SessionUpdate {
  return { sessionUpdate, content, messageId };
}

/** ACP has one plan, and no status for a step that failed. */
export function planUpdate(plan: Plan): SessionUpdate {
  const entries =
    plan.kind === "entries"
      ? plan.entries
      : [{ content: plan.content, priority: "medium", status: "in_progress" }];
  return {
    sessionUpdate: "plan",
    entries: entries.map(({ content, priority, status }) => ({
      content,
      priority,
      status: status === "failed" ? "completed" : status,
      ...(status === "failed" && { _meta: { holdfast: { outcome: "failed" } } }),
    })),
  };
}

/** A turn from its message to where it stands. */
export function replayTurn(
  turn: Turn | ActiveTurn,
  features: EditorFeatures,
  view: TerminalView,
): SessionUpdate[] {
  return [
    ...userMessage(turn.message, turn.id),
    ...turnParts(turn).flatMap((part) => replayPart(part, features, view)),
    ...turn.plans.map(planUpdate),
  ];
}

function replayPart(part: ResponsePart, features: EditorFeatures, view: TerminalView): SessionUpdate[] {
  if (part.kind === "inputRequest") return [];
  if (part.kind !== "toolCall") return [partUpdate(part, features)];
  const { toolCall } = part;
  const outputs = terminalsOf(toolCall).flatMap((content) => replayTerminal(toolCall, content) ?? []);
  return [...announceCall(toolCall, view), ...outputs];
}
