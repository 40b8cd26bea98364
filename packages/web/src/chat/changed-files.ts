// The files that a conversation changed, each as one change from what it was first to what it became last.
import { turnParts, type ChatState, type ToolContent } from "@holdfast/ahp";

export type FileEdit = Extract<ToolContent, { type: "fileEdit" }>;

/** The files in the order in which they were first changed; calls that did not succeed changed nothing. */
export function changedFiles({ turns, activeTurn }: ChatState): FileEdit[] {
  const changed = new Map<string, FileEdit>();
  for (const turn of activeTurn ? [...turns, activeTurn] : turns) {
    for (const part of turnParts(turn)) {
      if (part.kind !== "toolCall" || part.toolCall.status !== "completed") continue;
      for (const content of part.toolCall.content) {
        if (content.type !== "fileEdit") continue;
        changed.set(content.path, joined(changed.get(content.path), content));
      }
    }
  }
  return [...changed.values()].filter((edit) => !isUnchanged(edit));
}

/** Whether a file is in the end what it was at first. */
function isUnchanged({ before, after }: FileEdit): boolean {
  return before?.kind === "text" && after?.kind === "text" && before.text === after.text;
}

function joined(first: FileEdit | undefined, last: FileEdit): FileEdit {
  if (first === undefined) return last;
  return {
    type: "fileEdit",
    path: last.path,
    ...(first.before !== undefined && { before: first.before }),
    ...(last.after !== undefined && { after: last.after }),
  };
}
