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

/** Where the word before the caret begins that can be completed; undefined where there is none. */
export function completableFrom(text: string, caret: number): number | undefined {
  const [, word] = /(?:^(?=\/)|(?:^|\s)(?=@))([/@]\S*)$/.exec(text.slice(0, caret)) ?? [];
  return word === undefined ? undefined : caret - word.length;
}

/** The text with a completion in it, and where the caret goes. */
export function insert(
  text: string,
  { insertText, rangeStart, rangeEnd }: Completion,
): { text: string; caret: number } {
  const after = text.slice(rangeEnd);
  // A folder goes on with what is in it; anything else is whole, and the next word can begin.
  const isWhole = after === "" && !/[/\s]$/.test(insertText);
  const before = text.slice(0, rangeStart) + insertText + (isWhole ? " " : "");
  return { text: before + after, caret: before.length };
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
