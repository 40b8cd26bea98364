// Messages that the host has not accepted yet: their view may be left and opened again meanwhile (Z1019).
import {
  type DraftFiles,
  joinFiles,
  keepDraft,
  keepDraftFiles,
  noFiles,
  readDraft,
  readDraftFiles,
} from "./draft-store.ts";

export interface SentDraft {
  readonly chat: string;
  readonly text: string;
  readonly files: DraftFiles;
}

/** Puts a message that was not accepted into the message field of its chat. */
type TakeBack = (change: (text: string) => string, files: DraftFiles) => void;

const sent = new Set<SentDraft>();
const fields = new Map<string, TakeBack>();

/** Notes a message as sent until the host has responded; returns its response. */
export async function whileSent(draft: SentDraft, response: Promise<boolean>): Promise<boolean> {
  sent.add(draft);
  try {
    return await response;
  } finally {
    sent.delete(draft);
  }
}

/** The text of a chat's draft, unless it is being sent. */
export function readUnsentDraft(chat: string): string {
  const text = readDraft(chat);
  const isSent = [...sent].some((draft) => draft.chat === chat && draft.text === text);
  return isSent ? "" : text;
}

/** The files of a chat's draft, unless they are being sent. */
export function readUnsentFiles(chat: string): DraftFiles {
  const files = readDraftFiles(chat);
  return [...sent].some((draft) => draft.files === files) ? noFiles : files;
}

/** Puts a message that was not accepted back: into the draft, and into the field that its chat has now. */
export function takeBack({ chat, text, files }: SentDraft, change: (text: string) => string): void {
  const kept = readDraft(chat);
  if (kept !== text) keepDraft(chat, change(kept));
  const field = fields.get(chat);
  if (field !== undefined) return field(change, files);
  const keptFiles = readDraftFiles(chat);
  if (keptFiles !== files) keepDraftFiles(chat, joinFiles(keptFiles, files));
}

/** Notes the field of a chat until the returned function is called. */
export function listenToTakenBack(chat: string, field: TakeBack): () => void {
  fields.set(chat, field);
  return () => {
    if (fields.get(chat) === field) fields.delete(chat);
  };
}
