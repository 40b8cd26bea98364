// The port from a terminal to its channel: bytes as they are shown, and events in order with them.
import type { CommandEvent } from "./view/index.ts";

/** Something that a terminal's output says. */
export type TerminalEvent =
  | { readonly kind: "title"; readonly title: string }
  /** An absolute path of this machine. */
  | { readonly kind: "cwd"; readonly path: string }
  /** The shell reports its commands. */
  | { readonly kind: "commandsDetected" }
  | CommandEvent;

/** Publishes one terminal. */
export interface TerminalPublisher {
  /** Whether any client reads the terminal. */
  readonly isRead: boolean;
  /** Whether a client's own terminal replies to the program's queries. */
  readonly repliesToQueries: boolean;
  /** The offset after the last character that is whole, or cut for good. */
  readonly wholeOffset: number;
  /** Bytes were added to the output at an offset; they are valid during the call. */
  wrote(bytes: Uint8Array, offset: number): void;
  /** All bytes before the event were passed to `wrote`, none after it. */
  publish(event: TerminalEvent): void;
  /** The program has exited: titles and directories that wait are published. */
  exited(): void;
  /** Nobody writes to the terminal any more. */
  ended(): void;
  /** The terminal is about to free its output. */
  close(): void;
}
