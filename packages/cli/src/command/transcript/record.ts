// The lines of a transcript: a session, its turns, what their terminals wrote, and a last one that says it is whole.
import type { ActiveTurn, ChatUri, SessionState, Turn, TurnId } from "@holdfast/ahp";
import type { TerminalEvent } from "@holdfast/sdk";

/** Grows when a line changes its meaning. */
export const TRANSCRIPT_VERSION = 1;

/** One line of a transcript. */
export type TranscriptRecord =
  /** The first line: the session as the host keeps it. */
  | { readonly type: "session"; readonly version: number; readonly session: SessionState }
  /** A turn with its message, parts, tool calls, decisions and usage, as the host keeps it. */
  | { readonly type: "turn"; readonly chat: ChatUri; readonly turn: Turn | ActiveTurn }
  /** A terminal of the turn before it; its output follows, unless nothing of it is kept. */
  | {
      readonly type: "terminal";
      readonly terminal: string;
      readonly turnId: TurnId;
      readonly title: string;
      readonly isKept: boolean;
    }
  | TerminalRecord
  /** The last line, without which the transcript was cut off. */
  | { readonly type: "end"; readonly turns: number; readonly terminals: number };

/** Something that a terminal wrote or that happened to it. */
export type TerminalRecord =
  /** Bytes from an offset on: as text where they are text, else in base64. */
  | { readonly type: "output"; readonly terminal: string; readonly offset: number; readonly text: string }
  | { readonly type: "output"; readonly terminal: string; readonly offset: number; readonly base64: string }
  /** The same without escape sequences, all at once, for a page to read; `isCut`: the newest of it. */
  | { readonly type: "text"; readonly terminal: string; readonly text: string; readonly isCut: boolean }
  /** Bytes that are no longer kept. */
  | {
      readonly type: "skipped";
      readonly terminal: string;
      readonly offset: number;
      readonly skippedBytes: number;
    }
  | { readonly type: "resized"; readonly terminal: string; readonly cols: number; readonly rows: number }
  | {
      readonly type: "exited";
      readonly terminal: string;
      readonly exit: Extract<TerminalEvent, { type: "exited" }>["data"]["exit"];
      readonly endOffset: number;
    };
