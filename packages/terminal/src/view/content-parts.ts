// The content of a terminal as parts: output of commands, and what lies between.
import type { CommandIndex, IndexedCommand } from "./command-index.ts";
import { MAX_PARTIAL_BYTES, incompleteTailBytes, isContinuation } from "./utf8.ts";

/** Output that belongs to no command. */
export interface UnclassifiedPart {
  readonly type: "unclassified";
  readonly value: string;
}

/** The output of one command, and what is known of it. */
export interface CommandPart {
  readonly type: "command";
  readonly commandId: string;
  readonly commandLine: string;
  readonly output: string;
  /** When it began, in milliseconds of Unix time. */
  readonly timestamp: number;
  readonly isComplete: boolean;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

/** A part of a terminal's content. */
export type ContentPart = UnclassifiedPart | CommandPart;

/** Where the bytes come from. */
export interface ContentSource {
  readonly startOffset: number;
  readonly endOffset: number;
  bytes(from: number, to: number): Uint8Array;
}

/** The content, and the bytes that it was made from. */
export interface TerminalContent {
  readonly parts: readonly ContentPart[];
  /** After a trim, where the first sequence or line that is whole begins. */
  readonly startOffset: number;
  /** Data that continues from here fits the parts: half a character at the end is left to it. */
  readonly endOffset: number;
}

const ESC = 0x1b;
const LINE_FEED = 0x0a;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The content of a terminal from the bytes that are kept; drops commands whose bytes are not. */
export function readContent(source: ContentSource, index: CommandIndex): TerminalContent {
  const { startOffset, endOffset } = source;
  if (startOffset > 0) index.dropBefore(startOffset);
  const ranges = index.ranges(startOffset, endOffset);
  let shownFrom = ranges[0]?.from ?? endOffset;
  let heldBytes = 0;
  const parts = ranges.flatMap(({ from, to, command }, position): ContentPart[] => {
    let bytes = source.bytes(from, to);
    if (position === 0 && from === startOffset && from > 0) {
      const start = wholeStart(bytes, { isAll: ranges.length === 1 });
      bytes = bytes.subarray(start);
      shownFrom += start;
    }
    if (position === ranges.length - 1 && command?.state !== "finished" && command?.state !== "cutOff") {
      heldBytes = incompleteTailBytes(bytes);
      bytes = bytes.subarray(0, bytes.length - heldBytes);
    }
    const text = decoder.decode(bytes);
    if (command !== undefined) return [commandPart(command, text)];
    return text === "" ? [] : [{ type: "unclassified", value: text }];
  });
  return { parts, startOffset: shownFrom, endOffset: endOffset - heldBytes };
}

function commandPart(command: IndexedCommand, output: string): CommandPart {
  const part = {
    type: "command" as const,
    commandId: command.id,
    commandLine: command.commandLine,
    output,
    timestamp: command.startedAtMs,
  };
  if (command.state === "open") return { ...part, isComplete: false };
  const { exitCode, durationMs } = command;
  return { ...part, isComplete: true, ...(exitCode !== undefined && { exitCode }), durationMs };
}

/**
 * Where bytes can be drawn from whose beginning is no longer kept: at the first ESC, which begins a sequence whatever
 * was before it, or after the first line feed. Where there is neither in all that is kept, after half a character.
 */
export function wholeStart(bytes: Uint8Array, { isAll }: { readonly isAll: boolean }): number {
  const escape = bytes.indexOf(ESC);
  const lineFeed = bytes.indexOf(LINE_FEED);
  if (lineFeed !== -1 && (escape === -1 || lineFeed < escape)) return lineFeed + 1;
  if (escape !== -1) return escape;
  if (!isAll) return bytes.length;
  let start = 0;
  while (start < MAX_PARTIAL_BYTES && start < bytes.length && isContinuation(bytes[start]!)) start++;
  return start;
}
