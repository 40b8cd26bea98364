// The events of a turn's stream that more than one part of the projection writes.
import type { ErrorInfo } from "@holdfast/ahp";
import type { ErrorCode, TurnEvent, TurnEventOf } from "@holdfast/protocol";
import { ERRORS } from "@holdfast/protocol";

/** A line of status: what it tells of, a text for people, and the facts for programs. */
export function statusEvent(
  tag: string,
  text: string,
  facts: Readonly<Record<string, unknown>> = {},
): TurnEventOf<"status"> {
  return { type: "status", data: { text, tag, ...facts } };
}

/** What ends a turn that came to its end, or was cancelled. */
export function endWithDone(stopReason: string, usage?: object): TurnEvent[] {
  return [
    { type: "done", data: { stopReason, ...(usage !== undefined && { usage }) } },
    { type: "close", data: { success: true } },
  ];
}

/** What ends a turn that failed, with what the agent last said on stderr where that explains it. */
export function endWithError(error: ErrorInfo): TurnEvent[] {
  const { message, code, retryable, detailCode, stderrTail = [] } = error;
  return [
    {
      type: "error",
      data: {
        message,
        code,
        ...(retryable !== undefined && { retryable }),
        ...(detailCode !== undefined && { detailCode }),
        ...(stderrTail.length > 0 && { stderrTail }),
      },
    },
    { type: "close", data: { success: false } },
  ];
}

/** What ends a stream for a reason of the host's own. */
export function endWithCode(code: ErrorCode, message: string = ERRORS[code].message): TurnEvent[] {
  return endWithError({ code, message });
}
