// The response to a prompt: how its turn ended.
import type { TurnUsage } from "@holdfast/ahp";
import type { EndedTurn } from "./projection.ts";
import { turnError } from "./rpc-error.ts";

const stopReasons: ReadonlySet<string> = new Set(["end_turn", "max_tokens", "max_turn_requests", "refusal"]);

/** The result of a prompt; a turn that failed or was interrupted is thrown as the error it ended with. */
export function endOfPrompt({ end, usage }: EndedTurn): object {
  const used = usage === undefined ? undefined : describeUsage(usage);
  switch (end.state) {
    case "complete": {
      const stopReason = stopReasons.has(end.stopReason) ? end.stopReason : "end_turn";
      return { stopReason, ...(used && { usage: used }) };
    }
    case "cancelled":
      return { stopReason: "cancelled", ...(used && { usage: used }) };
    case "failed":
    case "interrupted":
      throw turnError(end.error);
  }
}

function describeUsage(usage: TurnUsage): object {
  const { inputTokens = 0, outputTokens = 0, thoughtTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return {
    inputTokens,
    outputTokens,
    totalTokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...(thoughtTokens !== undefined && { thoughtTokens }),
    ...(cacheReadTokens !== undefined && { cachedReadTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cachedWriteTokens: cacheWriteTokens }),
  };
}
