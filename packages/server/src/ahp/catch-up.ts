// Catch-up of a terminal's viewer that fell behind: the terminal as it is now, in actions, because AHP has no other way.
import type { TerminalAction, TerminalState } from "@holdfast/ahp";
import { ChannelProjection, type Dialect, type TerminalPart, type WireMessage } from "@holdfast/ahp/dialects";
import type { Hub, LogReader, TerminalSnapshot, TerminalSubscription } from "@holdfast/core";
import { type CatchUp, writeMessages } from "./channel-view.ts";
import type { ChannelSource } from "./channel-source.ts";

export interface CatchUpParts {
  readonly hub: Hub;
  readonly dialect: Dialect;
  /** Opens a terminal for this client again. */
  readonly openTerminal: (uri: string, onReadable: () => void) => TerminalSubscription | undefined;
  /** Resumes a terminal after an entry, if nothing after it is gone. */
  readonly resumeTerminal: (uri: string, afterSeq: number, onReadable: () => void) => LogReader | undefined;
}

/** The messages for a viewer, and the reader that continues after them. */
export interface CaughtUp {
  readonly sent: CatchUp;
  readonly reader: LogReader;
}

const pieceLength = 64 * 1024;

/**
 * Brings a viewer up to date whose last message has the number `lastSeq`; undefined when there is no such terminal.
 * A catch-up made for another client serves this one if its numbers are new to it and the log continues from there (E113).
 */
export function catchUp(
  { uri, view }: ChannelSource,
  lastSeq: number,
  { hub, dialect, openTerminal, resumeTerminal }: CatchUpParts,
  onReadable: () => void,
): CaughtUp | undefined {
  const shared = view.catchUp;
  if (shared !== undefined && (shared.written.firstSeq ?? 0) > lastSeq) {
    const reader = resumeTerminal(uri, shared.afterSeq, onReadable);
    if (reader !== undefined) return { sent: shared, reader };
  }
  const opened = openTerminal(uri, onReadable);
  if (opened === undefined) return undefined;
  const { snapshot, cursor: reader } = opened;
  const written = writeMessages(catchUpMessages(dialect, snapshot, () => hub.takeSeq()));
  const sent = { written, afterSeq: hub.lastSeq, endOffset: snapshot.state.output.endOffset };
  view.keepCatchUp(sent);
  return { sent, reader };
}

/**
 * The messages that bring a viewer up to a snapshot, each with its own number from `takeSeq` (E84).
 * Earlier content is cleared; the holder, title and size may have changed meanwhile.
 */
function catchUpMessages(
  dialect: Dialect,
  { uri, state, content }: TerminalSnapshot,
  takeSeq: () => number,
): WireMessage[] {
  const { openCommand: _openCommand, ...closed } = state;
  const start: TerminalState = { ...closed, lifecycle: { status: "running" } };
  const projection = new ChannelProjection(dialect, { kind: "terminal", state: start }, 0);
  return catchUpActions(state, content).flatMap(
    (action) => projection.show({ channel: uri, serverSeq: takeSeq(), action }) ?? [],
  );
}

function catchUpActions(state: TerminalState, content: readonly TerminalPart[]): TerminalAction[] {
  const { title, titleSource, claim, cwd, size, output, supportsCommandDetection, lifecycle } = state;
  const actions: TerminalAction[] = [
    { type: "terminal/cleared", offset: output.clearedAtOffset },
    { type: "terminal/trimmed", skippedBytes: output.skippedBytes },
    { type: "terminal/titleChanged", title, source: titleSource },
    { type: "terminal/claimed", claim },
  ];
  if (cwd !== undefined) actions.push({ type: "terminal/cwdChanged", cwd });
  if (size !== undefined) actions.push({ type: "terminal/resized", ...size });
  if (supportsCommandDetection) actions.push({ type: "terminal/commandDetectionAvailable" });
  for (const part of content) actions.push(...partActions(part, output.endOffset));
  if (lifecycle.status === "exited") {
    const { exitedAt, exit } = lifecycle;
    actions.push({ type: "terminal/exited", exitedAt, exit, endOffset: output.endOffset });
    const { leftovers } = state;
    actions.push({ type: "terminal/leftoversChanged", ...(leftovers !== undefined && { leftovers }) });
  }
  return actions;
}

/** Where each text lies in the stream is no longer known: all of it lies before the end. */
function partActions(part: TerminalPart, endOffset: number): TerminalAction[] {
  const data = pieces(part.text).map((text): TerminalAction => ({
    type: "terminal/data",
    data: text,
    offset: endOffset,
    endOffset,
  }));
  if (part.kind === "output") return data;
  const { commandId, commandLine, startedAt, end } = part;
  const began: TerminalAction = {
    type: "terminal/commandExecuted",
    commandId,
    commandLine,
    startedAt,
    offset: endOffset,
  };
  if (end === undefined) return [began, ...data];
  return [began, ...data, { type: "terminal/commandFinished", commandId, ...end }];
}

function pieces(text: string): string[] {
  const cut: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + pieceLength, text.length);
    // A character of two halves stays whole, and so does a line end (E322).
    if (end < text.length && (isLowHalf(text.charCodeAt(end)) || isCutLineEnd(text, end))) end -= 1;
    cut.push(text.slice(start, end));
    start = end;
  }
  return cut;
}

function isCutLineEnd(text: string, at: number): boolean {
  return text[at] === "\n" && text[at - 1] === "\r";
}

function isLowHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
