// The content of a terminal, in parts, made from its bytes and the commands that wrote them.
import { makeId } from "@holdfast/ahp";
import type { TerminalPart } from "@holdfast/ahp/dialects";
import type { TtyScreen } from "@holdfast/terminal/screen";
import {
  type CommandIndex,
  type ContentPart,
  type ContentSource,
  readContent,
} from "@holdfast/terminal/view";

/** The content of a terminal, and the bytes that it was made from. */
export interface ShownContent {
  readonly parts: readonly TerminalPart[];
  readonly startOffset: number;
  readonly endOffset: number;
}

/** The content up to an offset, which is that of the last whole character or beyond it when a cut one is shown as such. */
export function showContent(
  source: ContentSource,
  commands: CommandIndex,
  wholeOffset: number,
): ShownContent {
  const { parts, startOffset, endOffset } = readContent(source, commands);
  const shown = parts.map(showPart);
  if (endOffset >= wholeOffset) return { parts: shown, startOffset, endOffset };
  const cut = new TextDecoder().decode(source.bytes(endOffset, wholeOffset));
  return { parts: append(shown, cut), startOffset, endOffset: wholeOffset };
}

/** The content as a client that joins sees it: the alternate screen (U30), or the bytes after their modes (U33). */
export function showScreen(content: ShownContent, screen: Pick<TtyScreen, "viewOf">): ShownContent {
  const view = screen.viewOf(content.startOffset, content.endOffset);
  if (view.kind === "screen") return withScreen(content, view.text, view.pending);
  if (view.modes === "") return content;
  return { ...content, parts: [{ kind: "output", text: view.modes }, ...content.parts] };
}

/** The screen instead of the bytes that drew it. A running command continues after it: later output belongs to it. */
function withScreen(content: ShownContent, text: string, pending: string): ShownContent {
  const { parts } = content;
  const last = parts.at(-1);
  const isRunning = last?.kind === "command" && last.end === undefined;
  const shown: readonly TerminalPart[] = isRunning
    ? [
        { kind: "output", text },
        { ...last, text: pending },
      ]
    : [{ kind: "output", text: text + pending }];
  return { ...content, parts: shown };
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
