// What a terminal shows, in the pieces that AHP tells apart; whoever keeps the bytes makes them.
import type { CommandId } from "../../model/ids.ts";
import type { Timestamp } from "../../model/json.ts";

/**
 * Output outside of commands, or a command with its output, oldest first.
 * The texts are made from whole characters: bytes of half a character wait until the rest is there.
 */
export type TerminalPart =
  | { readonly kind: "output"; readonly text: string }
  | {
      readonly kind: "command";
      readonly commandId: CommandId;
      readonly commandLine: string;
      readonly text: string;
      readonly startedAt: Timestamp;
      /** Set once the command is over; without a code it was cut off. */
      readonly end?: { readonly exitCode?: number; readonly durationMs?: number };
    };

/** A piece as AHP writes it, the same in every version. */
export type WireTerminalPart =
  | { readonly type: "unclassified"; readonly value: string }
  | {
      readonly type: "command";
      readonly commandId: string;
      readonly commandLine: string;
      readonly output: string;
      readonly timestamp: number;
      readonly isComplete: boolean;
      readonly exitCode?: number;
      readonly durationMs?: number;
    };

/** Writes the pieces. */
export function showTerminalParts(parts: readonly TerminalPart[]): readonly WireTerminalPart[] {
  return parts.map((part) => {
    if (part.kind === "output") return { type: "unclassified", value: part.text };
    const { commandId, commandLine, text, startedAt, end } = part;
    return {
      type: "command",
      commandId,
      commandLine,
      output: text,
      timestamp: Date.parse(startedAt),
      isComplete: end !== undefined,
      ...end,
    };
  });
}
