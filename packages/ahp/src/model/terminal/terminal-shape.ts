// The shapes of a terminal's state and actions.
import { limitFiredShape } from "../limit.ts";
import {
  count,
  flag,
  id,
  list,
  number,
  object,
  oneOf,
  optional,
  shortText,
  taggedUnion,
  text,
} from "../shape.ts";
import type {
  ClaimConfirmation,
  FinishedCommand,
  InputKey,
  LeftProcess,
  OpenCommand,
  TerminalAction,
  TerminalClaim,
  TerminalExit,
  TerminalInfo,
  TerminalLeftovers,
  TerminalLifecycle,
  TerminalOutput,
  TerminalRun,
  TerminalSize,
  TerminalState,
  TitleSource,
} from "./terminal.ts";

const claimShape = taggedUnion<TerminalClaim, "kind">("kind", {
  client: { clientId: id("client"), goneSince: optional(text) },
  session: {
    session: id("session URI"),
    chat: id("chat URI"),
    turnId: optional(id("turn")),
    toolCallId: optional(id("tool call")),
  },
});

export const confirmationShape = oneOf<ClaimConfirmation>("not-isolated", "held");

export const terminalExitShape = taggedUnion<TerminalExit, "kind">("kind", {
  code: { exitCode: count, limit: optional(limitFiredShape) },
  signal: { signal: text, limit: optional(limitFiredShape) },
  unknown: { reason: text },
});

const lifecycleShape = taggedUnion<TerminalLifecycle, "status">("status", {
  running: {},
  exited: { exitedAt: text, exit: terminalExitShape },
});

const runShape = oneOf<TerminalRun>("text", "tty", "display");
const titleSourceShape = oneOf<TitleSource>("person", "agent", "program");

const leftoversShape = object<TerminalLeftovers>({
  count,
  processes: list(object<LeftProcess>({ pid: count, command: text })),
});

export const terminalStateShape = object<TerminalState>({
  resource: id("terminal URI"),
  run: runShape,
  title: text,
  titleSource: titleSourceShape,
  claim: claimShape,
  session: optional(id("session URI")),
  lifecycle: lifecycleShape,
  startedAt: optional(text),
  cwd: optional(text),
  size: optional(object<TerminalSize>({ cols: count, rows: count })),
  output: object<TerminalOutput>({ endOffset: count, skippedBytes: count, clearedAtOffset: count }),
  supportsCommandDetection: flag,
  openCommand: optional(
    object<OpenCommand>({ commandId: id("command"), commandLine: text, startedAt: text, offset: count }),
  ),
  lastCommand: optional(
    object<FinishedCommand>({
      commandId: id("command"),
      commandLine: text,
      exitCode: optional(count),
      durationMs: optional(number),
    }),
  ),
  leftovers: optional(leftoversShape),
});

export const terminalInfoShape = object<TerminalInfo>({
  resource: id("terminal URI"),
  run: runShape,
  title: text,
  claim: claimShape,
  session: optional(id("session URI")),
  lifecycle: lifecycleShape,
  leftCount: optional(count),
});

export const terminalActionShape = taggedUnion<TerminalAction, "type">("type", {
  "terminal/data": { data: text, offset: count, endOffset: count },
  "terminal/trimmed": { skippedBytes: count },
  "terminal/input": {
    data: text,
    key: optional(object<InputKey>({ writer: shortText(64), number: count })),
  },
  "terminal/resized": { cols: number, rows: number },
  "terminal/claimed": { claim: claimShape, confirmed: optional(confirmationShape) },
  "terminal/titleChanged": { title: text, source: titleSourceShape },
  "terminal/cwdChanged": { cwd: text },
  "terminal/cleared": { offset: count },
  "terminal/commandDetectionAvailable": {},
  "terminal/commandExecuted": {
    commandId: id("command"),
    commandLine: text,
    startedAt: text,
    offset: count,
  },
  "terminal/commandFinished": {
    commandId: id("command"),
    exitCode: optional(count),
    durationMs: optional(number),
    offset: optional(count),
  },
  "terminal/exited": { exitedAt: text, exit: terminalExitShape, endOffset: optional(count) },
  "terminal/leftoversChanged": { leftovers: optional(leftoversShape) },
});
