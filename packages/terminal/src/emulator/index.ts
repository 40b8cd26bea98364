// Guards that keep xterm.js from blocking its thread, in host and browser: bounded functions, small pieces (T400).
export { guardEmulator, type GuardedTerminal } from "./guard.ts";
export { pieceEnd } from "./piece.ts";
