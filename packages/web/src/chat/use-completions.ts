// Asks the host how what is being written can go on.
import { useEffect, useState } from "react";
import type { ChatUri } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import { completableFrom, readCompletions, type Completion } from "./completion.ts";

const patienceMs = 60;
const none: readonly Completion[] = [];

/** What was found for a word, by where the word begins. */
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
    }, patienceMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [host, chat, text, caret, start]);
  return start === undefined || found.start !== start ? none : found.completions;
}
