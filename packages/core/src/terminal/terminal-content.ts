// What a terminal shows, in parts, made from its bytes and the commands that wrote them.
import { makeId } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import {
  type CommandIndex,
  type ContentPart,
  type ContentSource,
  readContent,
} from "@holdfast/terminal/view";

/** The content of a terminal, and the bytes that it was made from. */
export interface ShownContent {
  readonly parts: readonly TerminalPart[];
  readonly endOffset: number;
}

/** The content up to an offset, which is that of the last whole character or beyond it when a cut one is shown as such. */
export function showContent(
  source: ContentSource,
  commands: CommandIndex,
  wholeOffset: number,
): ShownContent {
  const { parts, endOffset } = readContent(source, commands);
  const shown = parts.map(showPart);
  if (endOffset >= wholeOffset) return { parts: shown, endOffset };
  const cut = new TextDecoder().decode(source.bytes(endOffset, wholeOffset));
  return { parts: append(shown, cut), endOffset: wholeOffset };
}

/** The screen instead of the bytes that drew it. A command that runs goes on after it: what comes belongs to it. */
export function withScreen({ parts, endOffset }: ShownContent, text: string, pending: string): ShownContent {
  const last = parts.at(-1);
  const isRunning = last?.kind === "command" && last.end === undefined;
  const shown: readonly TerminalPart[] = isRunning
    ? [
        { kind: "output", text },
        { ...last, text: pending },
      ]
    : [{ kind: "output", text: text + pending }];
  return { parts: shown, endOffset };
}

/** The same after sequences that set the modes which held before its first byte. */
export function withModes(shown: ShownContent, sequences: string): ShownContent {
  if (sequences === "") return shown;
  return { ...shown, parts: [{ kind: "output", text: sequences }, ...shown.parts] };
}

function showPart(part: ContentPart): TerminalPart {
  if (part.type === "unclassified") return { kind: "output", text: part.value };
  const { commandId, commandLine, output, timestamp, isComplete, exitCode, durationMs } = part;
  return {
    kind: "command",
    commandId: makeId("command", commandId),
    commandLine,
    text: output,
    startedAt: new Date(timestamp).toISOString(),
    ...(isComplete && {
      end: {
        ...(exitCode !== undefined && { exitCode }),
        ...(durationMs !== undefined && { durationMs }),
      },
    }),
  };
}

function append(parts: readonly TerminalPart[], text: string): readonly TerminalPart[] {
  const last = parts.at(-1);
  const isOpen = last !== undefined && (last.kind === "output" || last.end === undefined);
  return isOpen
    ? [...parts.slice(0, -1), { ...last, text: last.text + text }]
    : [...parts, { kind: "output", text }];
}
