// Drafts of messages, kept in the tab: they outlive a reload, and so a new sign-in (Z711).

const prefix = "holdfast-draft:";

/** The unsent text of a chat; empty when there is none. */
export function readDraft(chat: string): string {
  try {
    return sessionStorage.getItem(prefix + chat) ?? "";
  } catch {
    // A browser may deny storage; then a draft lives as long as the page.
    return "";
  }
}

/** Keeps the text until the host has accepted it; an empty one is removed. */
export function keepDraft(chat: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + chat);
    else sessionStorage.setItem(prefix + chat, text);
  } catch {
    // Denied, or full: the message itself is not affected.
  }
}
