// Estimates how much memory an action takes, without writing it out as JSON.
import type { Action } from "@holdfast/ahp";

/** What an action costs beside its text: its own object, its entry, its place in the log; measured, rounded up. */
const fixedBytes = 256;
/** What a number, a flag or the frame of an object costs. */
const valueBytes = 16;

/** An estimate in constant time for the actions that come in floods, else in the time that a look at each field takes. */
export function estimateActionBytes(action: Action): number {
  switch (action.type) {
    case "chat/delta":
    case "chat/reasoning":
      return fixedBytes + action.content.length;
    case "terminal/data":
    case "terminal/input":
      return fixedBytes + action.data.length;
    default:
      return fixedBytes + estimateValueBytes(action);
  }
}

/** Walks with a list instead of by recursion: a client may send a value that is nested deeper than the stack. */
function estimateValueBytes(root: unknown): number {
  let sizeBytes = 0;
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    sizeBytes += typeof value === "string" ? value.length : valueBytes;
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) waiting.push(inner);
  }
  return sizeBytes;
}
