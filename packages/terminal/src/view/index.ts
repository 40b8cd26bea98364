// Views of a run's bytes: a ring, the agent's output, batches for subscribers, commands and their output.
export { RingBudget } from "./budget.ts";
export type { ByteBatch, ByteSubscription, SubscriptionStart } from "./byte-subscription.ts";
export { type Clock, type ClockTimer, systemClock } from "./clock.ts";
export {
  type CommandEvent,
  CommandIndex,
  type CommandIndexOptions,
  type EndedIndexedCommand,
  type IndexedCommand,
  type OpenIndexedCommand,
  type OutputRange,
} from "./command-index.ts";
export {
  type CommandPart,
  type ContentPart,
  type ContentSource,
  readContent,
  type TerminalContent,
  type UnclassifiedPart,
  wholeStart,
} from "./content-parts.ts";
export { withoutEscapes } from "./escape-sequences.ts";
export { TerminalOutput, type TerminalOutputOptions } from "./output.ts";
export { ByteRing } from "./ring.ts";
export { clampSize } from "../screen-size.ts";
export {
  MAX_HELD_BYTES,
  type ScanPlace,
  type StreamPiece,
  StreamScanner,
  type TextPiece,
} from "./stream-scanner.ts";
export { type StreamRange, StreamRanges } from "./stream-ranges.ts";
export type { MarkContent, MarkPosition, StreamMark } from "./stream-mark.ts";
export type { OutputTail, JsonOutputTail } from "./text-tail.ts";
export {
  INITIAL_MODES,
  modeSequences,
  type MouseEncoding,
  type MouseTracking,
  type TerminalModes,
} from "./terminal-modes.ts";
export type { TerminalQuery } from "./terminal-query.ts";
export { incompleteTailBytes } from "./utf8.ts";
