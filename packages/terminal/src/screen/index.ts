// Screens: what a terminal's bytes have drawn, for clients that join late and for queries of programs.
export { type ColorScheme, DEFAULT_COLORS, replyTo } from "./query-replies.ts";
export { type ScreenSnapshot, type ScreenSource, TerminalScreen } from "./terminal-screen.ts";
export { drawingLimit, TtyScreen, type TtyScreenParts } from "./tty-screen.ts";
