// Asks the host how what is being written can go on.
import { useEffect, useState } from "react";
import type { ChatUri } from "@holdfast/ahp";
import { useHost } from "../host/use-host.ts";
import { canComplete, readCompletions, type Completion } from "./completion.ts";

const patienceMs = 60;
const none: readonly Completion[] = [];

/** The completions at the caret; none while nothing can be completed. */
export function useCompletions(chat: ChatUri, text: string, caret: number): readonly Completion[] {
  const host = useHost();
  const [found, setFound] = useState<readonly Completion[]>(none);
  const isWanted = canComplete(text, caret);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      host.client.request("completions", { channel: chat, kind: "userMessage", text, offset: caret }).then(
        ({ items }) => {
          if (isCurrent) setFound(readCompletions(items));
        },
        // Without completions one can still write.
        () => setFound(none),
      );
    }, patienceMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [host, chat, text, caret, isWanted]);
  return isWanted ? found : none;
}
