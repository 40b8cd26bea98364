// The output of a command without a screen: its last lines, drawn a few times a second however fast they come.
import { useEffect, useRef, type ReactNode } from "react";
import { PlainText } from "./plain-text.ts";
import type { OutputExtent } from "./output-foot.tsx";
import { OutputTail } from "./output-tail.ts";
import { foldedRows } from "./screen-layout.ts";
import style from "./terminal-panel.module.css";
import type { TerminalStream } from "./terminal-stream.ts";

export interface TextScreenProps {
  readonly stream: TerminalStream;
  /** How many of the last lines are shown. */
  readonly maxLines: number;
  readonly label: string;
  readonly isUnfolded: boolean;
  /** Whether no more output comes. */
  readonly isEnded: boolean;
  readonly onExtent: (extent: OutputExtent) => void;
  readonly onGrow?: (() => void) | undefined;
}

const drawEveryMs = 100;
/** More than this since the last frame is not even read: only its end will be visible. */
const pendingChars = 256 * 1024;

/** The lines. They bypass React: they may change with every frame. */
export function TextScreen(props: TextScreenProps): ReactNode {
  const { stream, maxLines, label, isUnfolded, isEnded } = props;
  const place = useRef<HTMLPreElement>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const text = new PlainText(maxLines);
    const pending = new OutputTail(pendingChars);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasSkipped = false;
    const draw = (): void => {
      timer = undefined;
      const element = place.current;
      if (element === null) return;
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
      const { text: fresh, droppedChars } = pending.take(pendingChars);
      hasSkipped ||= droppedChars > 0;
      if (droppedChars > 0) text.clear();
      text.append(fresh);
      element.textContent = text.lines.join("\n");
      if (isAtEnd) element.scrollTop = element.scrollHeight;
      latest.current.onExtent({
        isFoldable: text.lines.length > foldedRows || element.scrollHeight > element.clientHeight,
        isCut: hasSkipped || text.isCut || stream.isCut,
      });
      latest.current.onGrow?.();
    };
    const plan = (): void => {
      timer ??= setTimeout(draw, drawEveryMs);
    };
    const stop = stream.show({
      reset(parts) {
        text.clear();
        pending.clear();
        hasSkipped = false;
        for (const part of parts) pending.append(part.text);
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
    <pre
      ref={place}
      className={style.text}
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label={label}
      data-unfolded={isUnfolded}
      data-ended={isEnded}
    />
  );
}
