// The bounds of a terminal's output: decided here for the library and the host.
import type { ScreenSize } from "./screen-size.ts";
import { type RingBudget, TerminalOutput } from "./view/index.ts";

const mebibyte = 1024 * 1024;

/** Default bounds. */
export const OUTPUT_LIMITS = {
  /** Bytes of text that an agent reads when its request sets no limit. */
  textBytes: mebibyte,
  /** The most that a request may set. */
  maxTextBytes: 16 * mebibyte,
  /** Raw bytes kept for clients that join late. */
  replayBytes: mebibyte,
  /** Raw bytes kept while a program waits for its followers: what sockets hold when a connection is lost. */
  pacedReplayBytes: 8 * mebibyte,
  /** Memory for the output of all terminals together. */
  totalBytes: 512 * mebibyte,
} as const;

/** The bytes of text that an agent may read of one terminal. */
export function textLimitBytes(
  requestedBytes: number | undefined,
  limits: { readonly textBytes?: number | undefined; readonly maxTextBytes?: number | undefined } = {},
): number {
  const { textBytes = OUTPUT_LIMITS.textBytes, maxTextBytes = OUTPUT_LIMITS.maxTextBytes } = limits;
  return Math.min(Math.floor(requestedBytes ?? textBytes), maxTextBytes);
}

/** How the output of a terminal is kept. */
export interface OutputRequest {
  readonly kind: "text" | "tty";
  readonly size: ScreenSize;
  readonly textLimitBytes: number;
  readonly replayBytes?: number | undefined;
  /** Makes the text of a tty only when it is first read: for terminals that no agent reads. */
  readonly isFoldedOnRequest?: boolean | undefined;
  readonly budget?: RingBudget | undefined;
  /** The offset of its first byte, where the bytes before it are lost. Default 0. */
  readonly startOffset?: number | undefined;
}

/** The output of a new terminal. */
export function makeOutput(request: OutputRequest): TerminalOutput {
  const { kind, size, budget, replayBytes = OUTPUT_LIMITS.replayBytes } = request;
  return new TerminalOutput({
    kind,
    folding: request.isFoldedOnRequest === true ? "lazy" : "eager",
    textLimitBytes: request.textLimitBytes,
    replayBytes,
    ...size,
    startOffset: request.startOffset,
    ...(budget !== undefined && { budget }),
  });
}
