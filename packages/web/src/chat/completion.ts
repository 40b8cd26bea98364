// Completions of what is being written: the agent's commands after `/`, files after `@`.
import type { Attachment, ChatUri, JsonObject } from "@holdfast/ahp";
import { useEffect, useState } from "react";
import { useHost } from "../host/use-host.ts";

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
  // A folder continues with its content; anything else is complete, and the next word can begin.
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

const timeoutMs = 60;
const none: readonly Completion[] = [];

/** The completions of a word, by the position where the word begins. */
interface Found {
  readonly start: number | undefined;
  readonly completions: readonly Completion[];
}

/** The completions at the caret; while those of a longer word are asked for, those of its beginning stay. */
export function useCompletions(chat: ChatUri, text: string, caret: number): readonly Completion[] {
  const host = useHost();
  const [found, setFound] = useState<Found>({ start: undefined, completions: none });
  const start = completableFrom(text, caret);
  useEffect(() => {
    if (start === undefined) {
      setFound({ start, completions: none });
      return undefined;
    }
    let isCurrent = true;
    const timer = setTimeout(() => {
      host.client.request("completions", { channel: chat, kind: "userMessage", text, offset: caret }).then(
        ({ items }) => {
          if (isCurrent) setFound({ start, completions: readCompletions(items) });
        },
        // Without completions one can still write.
        () => setFound({ start, completions: none }),
      );
    }, timeoutMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [host, chat, text, caret, start]);
  return start === undefined || found.start !== start ? none : found.completions;
}
