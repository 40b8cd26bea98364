// Joins two actions of a chat that follow one another into one that does the same.
import type { ChatAction } from "./chat-actions.ts";

/**
 * One action in place of two adjacent ones, or `undefined` when they must stay apart.
 * Only two pieces of text for one part join: a piece and the part it opens do not,
 * because a part that is already there is ignored and the piece is not (M6).
 */
export function mergeChatActions(earlier: ChatAction, later: ChatAction): ChatAction | undefined {
  if (later.type !== "chat/delta" && later.type !== "chat/reasoning") return undefined;
  if (earlier.type !== later.type || earlier.turnId !== later.turnId || earlier.partId !== later.partId) {
    return undefined;
  }
  return { ...earlier, content: earlier.content + later.content };
}
