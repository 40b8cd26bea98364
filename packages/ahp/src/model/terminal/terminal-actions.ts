// Everything that can happen to a terminal.
import type { CommandId } from "../ids.ts";
import type { Timestamp, Uri } from "../json.ts";
import type { TerminalClaim, TerminalExit, TitleSource } from "./terminal.ts";

/** Any action of a terminal's channel. */
export type TerminalAction =
  /** Output: its text, and the bytes it was made from. Only the offset is reduced. */
  | {
      readonly type: "terminal/data";
      readonly data: string;
      readonly offset: number;
      readonly endOffset: number;
    }
  /** Bytes before this offset are no longer kept. */
  | { readonly type: "terminal/trimmed"; readonly skippedBytes: number }
  /** Someone typed; a side effect alone, no state comes of it. */
  | { readonly type: "terminal/input"; readonly data: string }
  | { readonly type: "terminal/resized"; readonly cols: number; readonly rows: number }
  | { readonly type: "terminal/claimed"; readonly claim: TerminalClaim }
  | { readonly type: "terminal/titleChanged"; readonly title: string; readonly source: TitleSource }
  | { readonly type: "terminal/cwdChanged"; readonly cwd: Uri }
  /** The view starts anew at this offset; no byte is lost. */
  | { readonly type: "terminal/cleared"; readonly offset: number }
  | { readonly type: "terminal/commandDetectionAvailable" }
  | {
      readonly type: "terminal/commandExecuted";
      readonly commandId: CommandId;
      readonly commandLine: string;
      readonly startedAt: Timestamp;
      readonly offset: number;
    }
  | {
      readonly type: "terminal/commandFinished";
      readonly commandId: CommandId;
      readonly exitCode?: number;
      readonly durationMs?: number;
      /** Where its output ends. */
      readonly offset?: number;
    }
  /** The program has ended; all that it wrote lies before `endOffset`. */
  | {
      readonly type: "terminal/exited";
      readonly exitedAt: Timestamp;
      readonly exit: TerminalExit;
      readonly endOffset?: number;
    };
