// The output of a command without a screen: its last lines, drawn a few times a second however fast they come.
import { useEffect, useRef, type ReactNode } from "react";
import { sizeWords } from "../frame/time-words.ts";
import { PlainText } from "./plain-text.ts";
import { OutputTail } from "./output-tail.ts";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";

/** A terminal to show. */
export interface TextScreenProps {
  readonly stream: TerminalStream;
  /** How many of the last lines are shown. */
  readonly maxLines: number;
  readonly label: string;
  readonly onGrow?: (() => void) | undefined;
}

const drawEveryMs = 100;
/** More than this since the last picture is not even read: only its end will be seen. */
const pendingChars = 256 * 1024;

/** The lines. They go to the page past React: they may change with every picture. */
export function TextScreen({ stream, maxLines, label, onGrow }: TextScreenProps): ReactNode {
  const place = useRef<HTMLPreElement>(null);
  const grow = useRef(onGrow);
  grow.current = onGrow;
  useEffect(() => {
    const text = new PlainText(maxLines);
    const pending = new OutputTail(pendingChars);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let skippedChars = 0;
    const draw = (): void => {
      timer = undefined;
      const element = place.current;
      if (element === null) return;
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
      const { text: fresh, droppedChars } = pending.take(pendingChars);
      skippedChars += droppedChars;
      if (droppedChars > 0) text.clear();
      text.append(fresh);
      const skipped = skippedChars === 0 ? "" : `… ${sizeWords(skippedChars)} went by too fast to be shown\n`;
      element.textContent = skipped + text.lines.join("\n");
      if (isAtEnd) element.scrollTop = element.scrollHeight;
      grow.current?.();
    };
    const plan = (): void => {
      timer ??= setTimeout(draw, drawEveryMs);
    };
    const stop = stream.show({
      reset(whole) {
        text.clear();
        pending.clear();
        skippedChars = 0;
        pending.append(whole);
        clearTimeout(timer);
        draw();
      },
      append(fresh) {
        pending.append(fresh);
        plan();
      },
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [stream, maxLines]);
  return (
    <pre ref={place} className={style.text} tabIndex={0} role="log" aria-live="off" aria-label={label} />
  );
}
