// The terminal without processes: for a host that reaches them through the port.
export { textLimitBytes, makeOutput, OUTPUT_LIMITS, type OutputRequest } from "./output-limits.ts";
export { KILL_GRACE_MS } from "./process/kill-grace.ts";
export { LIMIT_UNITS, toRunLimits } from "./process/limit-units.ts";
export { findExcess, strictestLimits } from "./process/limits.ts";
export { checkSize, clampSize, DEFAULT_SIZE, type ScreenSize } from "./screen-size.ts";
export {
  streamPlaceOf,
  Terminal,
  type TerminalExit,
  type TerminalOptions,
  type TerminalState,
} from "./terminal.ts";
export type { TerminalEvent, TerminalPublisher } from "./terminal-publisher.ts";
export type { ContinuedStream, EarlierCommand } from "./terminal-stream.ts";
