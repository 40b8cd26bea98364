// Keeps a list at its end while its place changes its size, as with the window or a composer that grows.
import { type RefObject, useEffect, useRef } from "react";

/** Rows get their new heights, and the list its new place, within this time. */
const settleMs = 500;
/** Events of a person who scrolls. */
export const scrollInput = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/**
 * Calls `stick` while the place of a list at its end changes its size, and until its rows have settled. Gives a function
 * that says whether that is still so: a distance from the end is then not a person's doing.
 */
export function useStayAtEnd(
  place: RefObject<HTMLElement | null>,
  isShown: boolean,
  isAtEnd: boolean,
  stick: () => void,
): () => boolean {
  const latest = useRef({ isAtEnd, stick });
  latest.current = { isAtEnd, stick };
  const untilMs = useRef(0);
  const inputMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    const element = place.current;
    if (!isShown || element === null) return undefined;
    const stop = new AbortController();
    let frame = 0;
    const follow = (): void => {
      // Something else may have scrolled away meanwhile, such as a link to a message.
      if (performance.now() >= untilMs.current || !latest.current.isAtEnd) return;
      latest.current.stick();
      frame = requestAnimationFrame(follow);
    };
    const observer = new ResizeObserver(() => {
      const nowMs = performance.now();
      // A touch that scrolls changes the size on a phone, whose bars come and go.
      if (!latest.current.isAtEnd || nowMs - inputMs.current < settleMs) return;
      untilMs.current = nowMs + settleMs;
      cancelAnimationFrame(frame);
      follow();
    });
    observer.observe(element);
    const end = (): void => {
      untilMs.current = 0;
      inputMs.current = performance.now();
    };
    for (const name of scrollInput) {
      element.addEventListener(name, end, { capture: true, passive: true, signal: stop.signal });
    }
    return () => {
      stop.abort();
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [place, isShown]);
  return () => latest.current.isAtEnd && performance.now() < untilMs.current;
}
