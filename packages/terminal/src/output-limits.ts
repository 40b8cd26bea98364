// The bounds of a terminal's output: decided here for the library and the host.
import type { ScreenSize } from "./screen-size.ts";
import { type RingBudget, TerminalOutput } from "./view/index.ts";

const mebibyte = 1024 * 1024;

/** Default bounds. */
export const OUTPUT_LIMITS = {
  /** Bytes of text that an agent reads when its request sets no limit. */
  answerBytes: mebibyte,
  /** The most that a request may set. */
  maxAnswerBytes: 16 * mebibyte,
  /** Raw bytes kept for clients that join late. */
  replayBytes: mebibyte,
  /** Raw bytes kept while a program waits for its followers: what sockets hold when a connection is lost. */
  pacedReplayBytes: 8 * mebibyte,
  /** Memory for the output of all terminals together. */
  totalBytes: 512 * mebibyte,
} as const;

/** The bytes of text that an agent may read of one terminal. */
export function answerLimitBytes(
  requestedBytes: number | undefined,
  limits: { readonly answerBytes?: number | undefined; readonly maxAnswerBytes?: number | undefined } = {},
): number {
  const { answerBytes = OUTPUT_LIMITS.answerBytes, maxAnswerBytes = OUTPUT_LIMITS.maxAnswerBytes } = limits;
  return Math.min(Math.floor(requestedBytes ?? answerBytes), maxAnswerBytes);
}

/** How the output of a terminal is kept. */
export interface OutputRequest {
  readonly kind: "text" | "tty";
  readonly size: ScreenSize;
  readonly answerLimitBytes: number;
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
    answer: request.isFoldedOnRequest === true ? "lazy" : "eager",
    answerLimitBytes: request.answerLimitBytes,
    replayBytes,
    ...size,
    startOffset: request.startOffset,
    ...(budget !== undefined && { budget }),
  });
}
