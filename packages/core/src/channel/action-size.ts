// Estimates how much memory an action takes, without writing it out as JSON.
import type { Action } from "@holdfast/ahp";
import { isNestedDeeper } from "@holdfast/jsonrpc";

/** The cost of an action besides its text: its own object, its entry, its place in the log; measured, rounded up. */
const fixedBytes = 256;
/** The cost of a number, a flag or the frame of an object. */
const valueBytes = 16;

/** More than any message may have, so that the host can wrap what it receives; far less than writing JSON can bear. */
const maxNestedLevels = 256;

/** Whether an action of this size is nested deeper than it can be recorded; one that is too small for that is not looked at. */
export function isTooDeep(action: Action, sizeBytes: number): boolean {
  return sizeBytes > fixedBytes + maxNestedLevels * valueBytes && isNestedDeeper(action, maxNestedLevels);
}

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

/** The size of any value, in the time that a look at each field takes. Walks with a list instead of by recursion: a client may send a value that is nested deeper than the stack. */
export function estimateValueBytes(root: unknown): number {
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
