// Turns that ended before a chat began, in short: message, beginning of the output, and how a turn failed (C511).
import { type ToolCall, type Turn, type TurnEnd, turnParts } from "@holdfast/ahp";
import { type Holdfast, HoldfastError } from "@holdfast/sdk";
import type { Paint } from "../../console.ts";
import { safeLines, safeText } from "../../safe-text.ts";
import { terminalIdOf } from "../../terminal/terminal-name.ts";
import { FenceFilter, type Screen } from "./screen.ts";
import { commandOf } from "./turn-view.ts";
import { count } from "../../plural.ts";

/** Lines that are shown of each turn's output. */
const linesShown = 6;

export async function showPastTurns(screen: Screen, api: Holdfast, turns: readonly Turn[]): Promise<void> {
  const { bold, dim } = screen.paint;
  for (const turn of turns) {
    await screen.line(bold(`> ${safeText(turn.message.text)}`));
    const lines = await outputLines(screen, api, turn);
    for (const line of lines.slice(0, linesShown)) await screen.line(line);
    const more = lines.length - linesShown;
    if (more > 0) await screen.line(dim(`and ${count(more, "more line")}`));
    const end = endLine(turn.end, screen.paint);
    if (end !== undefined) await screen.line(end);
  }
}

async function outputLines(screen: Screen, api: Holdfast, turn: Turn): Promise<string[]> {
  const parts = turnParts(turn);
  const repeated = new Set(parts.map((part) => (part.kind === "markdown" ? part.repeats : undefined)));
  const texts: string[] = [];
  for (const part of parts) {
    if (part.kind === "markdown") texts.push(shownText(screen, part.content));
    // A complete turn has the agent's account of its calls.
    if (part.kind !== "toolCall" || turn.end.state === "complete") continue;
    if (!repeated.has(part.toolCall.toolCallId)) texts.push(await callText(api, part.toolCall));
  }
  const text = safeLines(texts.filter((each) => each !== "").join("\n\n")).trim();
  return text === "" ? [] : text.split("\n");
}

function shownText(screen: Screen, content: string): string {
  if (screen.isMarkdown) return content.trim();
  const fences = new FenceFilter();
  return `${fences.push(content)}${fences.end()}`.trim();
}

/** A call and the output of its terminals. */
async function callText(api: Holdfast, { displayName, rawInput, content }: ToolCall): Promise<string> {
  const command = commandOf(rawInput);
  const lines = [command === undefined ? `• ${displayName}` : `$ ${command}`];
  for (const each of content) {
    if (each.type !== "terminal") continue;
    try {
      const { text } = await api.terminals.output(terminalIdOf(each.resource));
      lines.push(text.trim());
    } catch (error) {
      // The host no longer has the output; the history is shown without it.
      if (!(error instanceof HoldfastError)) throw error;
    }
  }
  return lines.filter((line) => line !== "").join("\n");
}

/** How a turn ended; undefined for one that the agent completed. */
function endLine(end: TurnEnd, { dim, red }: Paint): string | undefined {
  switch (end.state) {
    case "complete":
      return undefined;
    case "cancelled":
      return dim("Cancelled.");
    case "failed":
      return red(`Failed: ${safeText(end.error.message)}`);
    case "interrupted":
      return red(`Interrupted: ${safeText(end.error.message)}`);
  }
}
