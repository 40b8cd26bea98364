// Popover: content in the top layer beside its anchor, inside the window.
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import style from "./popover.module.css";

export interface PopoverProps {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly id?: string | undefined;
  readonly align?: "start" | "center" | "end";
  readonly gapPx?: number;
  readonly className?: string | undefined;
  /** Whether it is at least as wide as its anchor. */
  readonly isWide?: boolean;
  /** Hidden from screen readers. */
  readonly isHidden?: boolean;
  /** Called for a click elsewhere and for Escape; absent for one that its opener closes. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
}

const marginPx = 8;

/** Stands below its anchor, or above where there is more space. Remove it to close it. */
export function Popover(props: PopoverProps): ReactNode {
  const { anchor, id, align = "start", gapPx = 4, className, isWide = false, isHidden, onClose } = props;
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const popover = element.current;
    if (popover === null) return undefined;
    popover.showPopover();
    const put = (): void => {
      const rect = anchor.current?.getBoundingClientRect();
      if (rect === undefined) return;
      if (isWide) popover.style.minWidth = `${rect.width}px`;
      place(popover, rect, align, gapPx);
    };
    put();
    const observer = new ResizeObserver(put);
    observer.observe(popover);
    addEventListener("resize", put);
    // Something below it may scroll away.
    addEventListener("scroll", put, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      removeEventListener("resize", put);
      removeEventListener("scroll", put, { capture: true });
    };
  }, [anchor, align, gapPx, isWide]);
  useEffect(() => {
    if (onClose === undefined) return undefined;
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // A dialog below stays open.
      event.preventDefault();
      event.stopPropagation();
      onClose();
    };
    const click = ({ target }: PointerEvent): void => {
      if (!(target instanceof Node)) return;
      if (element.current?.contains(target) === true || anchor.current?.contains(target) === true) return;
      onClose();
    };
    addEventListener("keydown", press, { capture: true });
    addEventListener("pointerdown", click, { capture: true });
    return () => {
      removeEventListener("keydown", press, { capture: true });
      removeEventListener("pointerdown", click, { capture: true });
    };
  }, [anchor, onClose]);
  return (
    <div
      ref={element}
      id={id}
      popover="manual"
      aria-hidden={isHidden}
      className={`${style.popover} ${className ?? ""}`}
    >
      {props.children}
    </div>
  );
}

/** Puts the popover where it fits. */
function place(
  popover: HTMLElement,
  anchor: DOMRect,
  align: NonNullable<PopoverProps["align"]>,
  gapPx: number,
): void {
  const { innerWidth, innerHeight } = window;
  const belowPx = innerHeight - anchor.bottom - gapPx - marginPx;
  const abovePx = anchor.top - gapPx - marginPx;
  popover.style.maxHeight = `${Math.max(belowPx, abovePx)}px`;
  const { offsetWidth: width, offsetHeight: height } = popover;
  const isAbove = height > belowPx && abovePx > belowPx;
  const wanted =
    align === "start"
      ? anchor.left
      : align === "end"
        ? anchor.right - width
        : anchor.left + (anchor.width - width) / 2;
  const left = Math.max(marginPx, Math.min(wanted, innerWidth - width - marginPx));
  const top = isAbove ? anchor.top - gapPx - height : anchor.bottom + gapPx;
  popover.style.left = `${Math.round(left)}px`;
  popover.style.top = `${Math.round(Math.max(marginPx, top))}px`;
}
