// Texts, with their attachments, that other parts of the page put into the message field: quotes, and a message to be sent again.
import type { Attachment } from "@holdfast/ahp";
import { focusMessageField } from "./message-focus.ts";

export type DraftChange =
  /** After what is written already. */
  | { readonly kind: "append"; readonly text: string }
  /** Before what is written already. */
  | {
      readonly kind: "prepend";
      readonly text: string;
      readonly attachments?: readonly Attachment[] | undefined;
    }
  /** In place of what is written. */
  | { readonly kind: "replace"; readonly text: string };

type Listener = (change: DraftChange) => void;

const listeners = new Set<Listener>();

/** Changes the draft of the session that is shown, and focuses its field. */
export function changeDraft(change: DraftChange): void {
  for (const listener of listeners) listener(change);
  // The field has its new text with the next frame.
  requestAnimationFrame(focusMessageField);
}

/** Quotes a text in the draft. */
export function quoteInDraft(text: string): void {
  const quoted = text
    .trim()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
  changeDraft({ kind: "append", text: `${quoted}\n\n` });
}

/** Notifies a listener of every change, until the returned function is called. */
export function listenToDraftChanges(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
