// Tool calls and their terminals as updates of an ACP session.
import type { TerminalExit, TerminalResult, ToolCall, ToolContent } from "@holdfast/ahp";
import { terminalIdOf, withoutEscapes } from "@holdfast/core";
import { textBlock, toolContentBlock } from "./content.ts";

/** One update of a session; the kind is its `sessionUpdate`. */
export type SessionUpdate = { readonly sessionUpdate: string } & Readonly<Record<string, unknown>>;

export type TerminalContent = Extract<ToolContent, { type: "terminal" }>;

/** How an editor sees the terminals of tool calls. */
export interface TerminalView {
  /** Whether it shows terminals by reference; otherwise it gets their text. */
  readonly byReference: boolean;
  /** The output of a terminal that is being followed; undefined for any other. */
  readonly textOf: (terminalId: string) => string | undefined;
  /** The editor's name of a terminal that it runs itself; undefined for any other. */
  readonly ownIdOf?: (terminalId: string) => string | undefined;
}

const statuses = {
  streaming: "pending",
  "pending-confirmation": "pending",
  running: "in_progress",
  completed: "completed",
  failed: "failed",
  cancelled: "failed",
} as const;

/** A call that an editor has not seen; with several terminals, once for each. */
export function announceCall(call: ToolCall, view: TerminalView): SessionUpdate[] {
  return announce(call, foreignTerminals(terminalsOf(call), view), view);
}

/**
 * The changes of a call that an editor has seen; none when it shows none of them. With a new terminal the whole call
 * is announced again, because editors create terminals from `tool_call` alone.
 */
export function updateCall(before: ToolCall, call: ToolCall, view: TerminalView): SessionUpdate[] {
  const known = new Set(terminalsOf(before).map(({ resource }) => resource));
  const shown = terminalsOf(call).filter(({ resource }) => !known.has(resource));
  const added = foreignTerminals(shown, view);
  if (added.length > 0 && view.byReference) return announce(call, added, view);
  const earlier: Readonly<Record<string, unknown>> = describeCall(before, view);
  const changes = Object.entries(describeCall(call, view)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier[name]),
  );
  if (changes.length === 0) return [];
  const { toolCallId } = call;
  return [{ sessionUpdate: "tool_call_update", toolCallId, ...Object.fromEntries(changes) }];
}

function announce(call: ToolCall, added: readonly TerminalContent[], view: TerminalView): SessionUpdate[] {
  const update = { sessionUpdate: "tool_call", ...describeCall(call, view) };
  if (!view.byReference || added.length === 0) return [update];
  return added.map(({ resource }) => ({
    ...update,
    _meta: { terminal_info: { terminal_id: terminalIdOf(resource) } },
  }));
}

/** Terminals that the editor does not run itself. */
function foreignTerminals(
  terminals: readonly TerminalContent[],
  { ownIdOf }: TerminalView,
): TerminalContent[] {
  return terminals.filter(({ resource }) => ownIdOf?.(terminalIdOf(resource)) === undefined);
}

/** The content of a call as a whole. */
export function showContent(call: ToolCall, view: TerminalView): object[] {
  return call.content.map((content) =>
    content.type === "terminal" ? showTerminal(content, view) : toolContentBlock(content),
  );
}

export function terminalsOf(call: ToolCall): TerminalContent[] {
  return call.content.filter((content) => content.type === "terminal");
}

/** The output and exit of a terminal that is over, as an editor would have received them live. */
export function replayTerminal(call: ToolCall, content: TerminalContent): SessionUpdate | undefined {
  const result = content.lateResult ?? content.result;
  if (result === undefined) return undefined;
  const { preview = "", exit, skippedBytes } = result;
  const terminalId = terminalIdOf(content.resource);
  const text = skippedBytes > 0 ? skippedLine(skippedBytes) + preview : preview;
  // The result is text for agents; a pseudo-terminal ends its lines with both.
  const data = content.isPty ? text.replaceAll(/\r?\n/g, "\r\n") : text;
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: call.toolCallId,
    _meta: {
      terminal_output: { terminal_id: terminalId, data },
      ...(exit !== undefined && { terminal_exit: { terminal_id: terminalId, ...exitMembers(exit) } }),
    },
  };
}

export function exitMembers(exit: TerminalExit): { exit_code: number | null; signal: string | null } {
  return {
    exit_code: exit.kind === "code" ? exit.exitCode : null,
    signal: exit.kind === "signal" ? exit.signal : null,
  };
}

/** The line in place of output that an editor does not get. */
export function skippedLine(skippedBytes: number): string {
  return `[${skippedBytes} bytes of output skipped]\n`;
}

function describeCall(call: ToolCall, view: TerminalView): Record<string, unknown> {
  const { toolCallId, displayName, toolKind, locations, rawInput, content } = call;
  const rawOutput =
    call.status === "completed" || call.status === "failed" ? call.result.rawOutput : undefined;
  return {
    toolCallId,
    title: displayName,
    kind: toolKind,
    status: statuses[call.status],
    ...(locations.length > 0 && { locations }),
    ...(rawInput !== undefined && { rawInput }),
    ...(rawOutput !== undefined && { rawOutput }),
    ...(content.length > 0 && { content: showContent(call, view) }),
  };
}

function showTerminal(content: TerminalContent, { byReference, textOf, ownIdOf }: TerminalView): object {
  const terminalId = terminalIdOf(content.resource);
  const ownId = ownIdOf?.(terminalId);
  if (ownId !== undefined) return { type: "terminal", terminalId: ownId };
  if (byReference) return { type: "terminal", terminalId };
  const result = content.lateResult ?? content.result;
  const text = result === undefined ? (textOf(terminalId) ?? "") : resultText(result);
  return { type: "content", content: textBlock(fence(text)) };
}

function resultText({ preview = "", skippedBytes }: TerminalResult): string {
  const text = plainText(preview);
  return skippedBytes > 0 ? skippedLine(skippedBytes) + text : text;
}

/** Without escape sequences; of a line that was written over, what it became. */
export function plainText(text: string): string {
  return withoutEscapes(text)
    .replaceAll(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");
}

/** A fence that the text does not contain. */
function fence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const mark = "`".repeat(longest + 1);
  return `${mark}console\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${mark}`;
}
