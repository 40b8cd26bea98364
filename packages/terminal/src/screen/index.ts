// Screens: snapshots for who joins late, and answers to what programs ask of their terminal.
export {
  type ColorScheme,
  DEFAULT_COLORS,
  QueryAnswerer,
  type QueryAnswererOptions,
} from "./query-answerer.ts";
export type { AskedQuery, TerminalQuery } from "./terminal-query.ts";
export { type ScreenSnapshot, type ScreenSource, TerminalScreen } from "./terminal-screen.ts";
