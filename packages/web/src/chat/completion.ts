// Completions of what is being written: the agent's commands after `/`, files after `@`.
import type { Attachment, JsonObject } from "@holdfast/ahp";

/** A way to go on. */
export interface Completion {
  readonly insertText: string;
  readonly rangeStart: number;
  readonly rangeEnd: number;
  readonly label: string;
  /** The file that is meant, to be sent along. */
  readonly attachment?: Attachment;
}

/** Whether what stands before the caret can be completed. */
export function canComplete(text: string, caret: number): boolean {
  return /^\/\S*$|(?:^|\s)@\S*$/.test(text.slice(0, caret));
}

/** The text with a completion in it, and where the caret goes. */
export function insert(
  text: string,
  { insertText, rangeStart, rangeEnd }: Completion,
): { text: string; caret: number } {
  const before = text.slice(0, rangeStart) + insertText;
  return { text: before + text.slice(rangeEnd), caret: before.length };
}

/** Reads what the host sent; what is no completion is left out. */
export function readCompletions(items: readonly JsonObject[]): Completion[] {
  return items.flatMap((item) => {
    const { insertText, rangeStart, rangeEnd, attachment } = item;
    if (typeof insertText !== "string") return [];
    if (typeof rangeStart !== "number" || typeof rangeEnd !== "number") return [];
    const { label, type, uri } = fieldsOf(attachment);
    const words = typeof label === "string" ? label : insertText;
    const completion = { insertText, rangeStart, rangeEnd, label: words };
    const isFile = type === "resource" && typeof uri === "string";
    return [isFile ? { ...completion, attachment: { type, label: words, uri } } : completion];
  });
}

/** The files that were chosen and are still named in the text. */
export function stillNamed(attachments: readonly Attachment[], text: string): Attachment[] {
  return attachments.filter(({ label }) => text.includes(`@${label}`));
}

function fieldsOf(value: unknown): { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
