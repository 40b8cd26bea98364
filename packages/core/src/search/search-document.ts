// The text of a turn that a search finds: the message, the agent's text, commands and the ends of their output.
import { type ToolCall, type Turn, turnParts } from "@holdfast/ahp";

/** The searchable text of one turn; each field is bounded. */
export interface SearchDocument {
  readonly turnId: string;
  readonly at: string;
  readonly prompt: string;
  readonly reply: string;
  /** Command lines, titles of tool calls, and the ends of outputs. */
  readonly commands: string;
}

const maxPromptChars = 16 * 1024;
const maxReplyChars = 64 * 1024;
const maxCommandChars = 32 * 1024;
const maxOutputChars = 2 * 1024;

/** The document of a turn that has ended. */
export function searchDocument(turn: Turn): SearchDocument {
  const replies: string[] = [];
  const commands: string[] = [];
  for (const part of turnParts(turn)) {
    if (part.kind === "markdown") replies.push(part.content);
    if (part.kind === "toolCall") commands.push(...linesOf(part.toolCall));
  }
  return {
    turnId: turn.id,
    at: turn.startedAt,
    prompt: clean(turn.message.text).slice(0, maxPromptChars),
    reply: clean(replies.join("\n")).slice(0, maxReplyChars),
    commands: clean(commands.join("\n")).slice(0, maxCommandChars),
  };
}

function linesOf({ displayName, invocationMessage, content }: ToolCall): string[] {
  // Most agents have one name for both.
  const lines = [displayName, invocationMessage === displayName ? "" : (invocationMessage ?? "")];
  for (const part of content) {
    if (part.type === "fileEdit") lines.push(part.path);
    if (part.type === "text") lines.push(part.text.slice(-maxOutputChars));
    if (part.type !== "terminal") continue;
    const result = part.lateResult ?? part.result;
    lines.push(part.title, result?.preview?.slice(-maxOutputChars) ?? "");
  }
  return lines.filter((line) => line !== "");
}

/** Without control characters: two of them mark matches in what a search returns. */
function clean(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, " ");
}
