// A transcript as a page to read: what was said, done, changed, written and allowed.
import {
  type ActiveTurn,
  type ApprovalDecision,
  type FileVersion,
  type ResponsePart,
  type SessionState,
  type TextPart,
  type ToolCall,
  type ToolContent,
  type Turn,
  turnParts,
} from "@holdfast/ahp";
import { safeLines, safeText } from "../../safe-text.ts";
import { count } from "../../plural.ts";
import { exitWords } from "../../terminal/terminal-exit.ts";
import type { TranscriptRecord } from "./transcript.ts";

/** What is written for a line of the transcript. Control characters are shown, not kept: it is for people. */
export function markdownOf(record: TranscriptRecord): string {
  switch (record.type) {
    case "session":
      return describeSession(record.session);
    case "turn":
      return describeTurn(record.turn);
    case "terminal": {
      const lost = record.isKept ? "" : " (output no longer stored)";
      return `#### Terminal ${safeText(record.terminal)}: ${codeSpan(record.title)}${lost}\n\n`;
    }
    case "text":
      return `${record.isCut ? "(earlier output omitted)\n\n" : ""}${block(record.text)}`;
    case "output":
      return "text" in record ? block(record.text) : "";
    case "skipped":
      return `(${record.skippedBytes} bytes are no longer kept)\n\n`;
    case "resized":
      return "";
    case "exited":
      return `${asSentence(exitWords(record.exit))}\n\n`;
    case "end":
      return `---\n\n${count(record.turns, "turn")}, ${count(record.terminals, "terminal")}.\n`;
  }
}

function describeSession({
  key,
  provider,
  label,
  title,
  createdAt,
  lifecycle,
  workingDirectories,
}: SessionState): string {
  const lines = [
    `# ${safeText(label ?? (title === "" ? provider : title))}`,
    "",
    `- Session: ${codeSpan(key)}`,
    `- Agent: ${codeSpan(provider)}`,
    `- Started: ${createdAt}`,
    `- State: ${lifecycle.status === "stale" ? "idle" : lifecycle.status}`,
    ...workingDirectories.map((folder) => `- Folder: ${codeSpan(folder)}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

function describeTurn(turn: Turn | ActiveTurn): string {
  const { message, plans, usage } = turn;
  const attached = (message.attachments ?? []).map(({ label }) => `- Attached: ${codeSpan(label)}\n`);
  const planned = plans.map((plan) =>
    plan.kind === "markdown"
      ? `${safeLines(plan.content)}\n\n`
      : `${plan.entries.map(({ status, content }) => `- [${status === "completed" ? "x" : " "}] ${safeText(content)}`).join("\n")}\n\n`,
  );
  const used = usage === undefined ? "" : `Usage: ${codeSpan(JSON.stringify(usage))}\n\n`;
  return [
    `## ${turn.startedAt}\n\n`,
    quote(message.text),
    attached.length === 0 ? "" : `${attached.join("")}\n`,
    ...turnParts(turn).map(describePart),
    ...planned,
    used,
    "end" in turn ? `*${endWords(turn.end)}*\n\n` : "*Still running.*\n\n",
  ].join("");
}

function describePart(part: ResponsePart): string {
  switch (part.kind) {
    case "markdown":
      return `${describeOmission(part)}${safeLines(part.content)}\n\n`;
    case "reasoning":
      return `<details><summary>Thought</summary>\n\n${describeOmission(part)}${safeLines(part.content)}\n\n</details>\n\n`;
    case "contentRef":
      return `- Content: ${codeSpan(part.name ?? part.uri)}\n\n`;
    case "systemNotification":
      return `> ${safeText(part.notice.title)}\n\n`;
    case "toolCall":
      return describeCall(part.toolCall);
    case "inputRequest":
      return `Question: ${safeText(part.request.message ?? "")}\n\n${block(JSON.stringify(part.response ?? null))}`;
  }
}

/** The host keeps the end of a very long text in the chat itself, and all of it among the events of the turn. */
function describeOmission({ omittedChars = 0 }: TextPart): string {
  return omittedChars === 0 ? "" : `*${omittedChars} earlier characters are in the events of the turn.*\n\n`;
}

function describeCall(call: ToolCall): string {
  const { displayName, status, rawInput, content, decisions } = call;
  const output = call.status === "completed" || call.status === "failed" ? call.result.rawOutput : undefined;
  return [
    `### ${codeSpan(displayName)} (${status})\n\n`,
    ...(rawInput === undefined ? [] : ["Input:\n\n", block(JSON.stringify(rawInput, undefined, 2))]),
    ...decisions.map(describeDecision),
    ...content.map(describeContent),
    ...(output === undefined ? [] : ["Output:\n\n", block(JSON.stringify(output, undefined, 2))]),
  ].join("");
}

function describeDecision({ outcome, optionId, by, at }: ApprovalDecision): string {
  const option = optionId === undefined ? "" : ` with ${codeSpan(optionId)}`;
  return `${outcome}${option} by ${by.kind}, ${at}\n\n`;
}

function describeContent(content: ToolContent): string {
  switch (content.type) {
    case "text":
      return block(content.text);
    case "fileEdit": {
      const { path, before, after } = content;
      return `${codeSpan(path)}\n\n${block(changedLines(textOf(before), textOf(after)).join("\n"))}`;
    }
    case "terminal":
      return "";
    case "embeddedResource":
      return `(${content.contentType}, ${content.data.length} characters of base64)\n\n`;
    case "resource":
      return `- Resource: ${codeSpan(content.uri)}\n\n`;
    case "raw":
      return block(JSON.stringify(content.value, undefined, 2));
  }
}

function textOf(version: FileVersion | undefined): string | undefined {
  return version === undefined ? undefined : version.kind === "text" ? version.text : version.uri;
}

function endWords(end: Turn["end"]): string {
  switch (end.state) {
    case "complete":
      return `Ended: ${safeText(end.stopReason)}`;
    case "cancelled":
      return `Cancelled by ${end.by.kind}${end.reason === undefined ? "" : `: ${safeText(end.reason)}`}`;
    case "failed":
    case "interrupted":
      return `${end.state === "failed" ? "Failed" : "Interrupted"}: ${safeText(end.error.message)}`;
  }
}

function asSentence(words: string): string {
  return safeText(words.charAt(0).toUpperCase() + words.slice(1));
}

/** Code by indentation: no text can end it, as it could a fence. */
function block(text: string): string {
  const lines = safeLines(text).replace(/\n$/, "").split("\n");
  return `${lines.map((line) => `    ${line}`).join("\n")}\n\n`;
}

function quote(text: string): string {
  return `${safeLines(text)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n")}\n\n`;
}

/** Inline code that its own backticks do not end. */
function codeSpan(text: string): string {
  const safe = safeText(text);
  const longest = Math.max(0, ...[...safe.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${safe}${fence}` : `${fence} ${safe} ${fence}`;
}

const contextLines = 3;

/** The changed stretch of a text, each line marked; a text that is not there is new or gone. */
function changedLines(before: string | undefined, after: string | undefined): string[] {
  const old = before === undefined ? [] : before.split("\n");
  const fresh = after === undefined ? [] : after.split("\n");
  const shortest = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shortest && old[same] === fresh[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < shortest - same && old.at(-1 - sameAtEnd) === fresh.at(-1 - sameAtEnd)) sameAtEnd += 1;
  const oldEnd = old.length - sameAtEnd;
  return [
    ...old.slice(Math.max(0, same - contextLines), same).map((line) => `  ${line}`),
    ...old.slice(same, oldEnd).map((line) => `- ${line}`),
    ...fresh.slice(same, fresh.length - sameAtEnd).map((line) => `+ ${line}`),
    ...old.slice(oldEnd, oldEnd + contextLines).map((line) => `  ${line}`),
  ];
}
