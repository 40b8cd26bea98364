// Drafts of messages, kept in the tab: they outlive a reload, and so a new sign-in (Z711), and their files a change of the view (Z992).
import type { Attachment } from "@holdfast/ahp";

const prefix = "holdfast-draft:";

/** The unsent text of a chat, or of another field by its name; empty when there is none. */
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

/** The files of a message that is being written. */
export interface DraftFiles {
  /** Files that were pasted, dropped or chosen. */
  readonly attached: readonly Attachment[];
  /** Files of the session's folder that the text may name. */
  readonly named: readonly Attachment[];
}

export const noFiles: DraftFiles = { attached: [], named: [] };

export function joinFiles(one: DraftFiles, other: DraftFiles): DraftFiles {
  return {
    attached: [...one.attached, ...other.attached],
    named: [...one.named, ...other.named],
  };
}

// Not in the tab's storage, which they would fill.
const keptFiles = new Map<string, DraftFiles>();

/** The files of a chat's unsent message. */
export function readDraftFiles(chat: string): DraftFiles {
  return keptFiles.get(chat) ?? noFiles;
}

/** Keeps the files until the host has accepted the message. */
export function keepDraftFiles(chat: string, files: DraftFiles): void {
  if (files.attached.length + files.named.length === 0) keptFiles.delete(chat);
  else keptFiles.set(chat, files);
}
