// Tooltip: names a control while it is hovered or has the focus.
import { type ReactNode, useId, useRef, useState } from "react";
import { Popover } from "./popover.tsx";
import style from "./tooltip.module.css";

export interface TooltipProps {
  readonly text: string;
  /** Keys that do the same. */
  readonly keys?: string | undefined;
  readonly children: ReactNode;
}

/** Hovering past should not flash every label on the way. */
const delayMs = 450;

/** Shows the text below its child, which must have its own name: the tooltip is hidden from screen readers. */
export function Tooltip({ text, keys, children }: TooltipProps): ReactNode {
  const anchor = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  const showSoon = (): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      // An open menu stands where the tooltip would.
      const isOpen = anchor.current?.querySelector('[aria-expanded="true"]') !== null;
      if (!isOpen) setIsShown(true);
    }, delayMs);
  };
  const hide = (): void => {
    clearTimeout(timer.current);
    setIsShown(false);
  };
  return (
    <span
      ref={anchor}
      className={style.anchor}
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && showSoon()}
      onPointerLeave={hide}
      onPointerDown={hide}
      onFocus={({ target }) => target.matches(":focus-visible") && showSoon()}
      onBlur={hide}
      onKeyDown={hide}
    >
      {children}
      {isShown && (
        <Popover anchor={anchor} id={id} align="center" gapPx={6} className={style.tooltip} isHidden>
          {text}
          {keys !== undefined && <kbd className={style.keys}>{keys}</kbd>}
        </Popover>
      )}
    </span>
  );
}
