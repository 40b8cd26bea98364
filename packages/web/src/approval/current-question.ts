// The question of the page that keys answer: one of those in sight, which is marked (Z972).
import { type RefObject, useEffect, useSyncExternalStore } from "react";

/** A question that has just become the current one leaves its place to one above it: lists load in any order. */
const settleMs = 500;

/** The questions of the page, from top to bottom. */
let questions: readonly HTMLElement[] = [];
let current: HTMLElement | undefined;
let currentSinceMs = 0;
const listeners = new Set<() => void>();

/** Whether a question is the one that keys answer, and whether there are others. */
export function useCurrentQuestion(card: RefObject<HTMLElement | null>): {
  readonly isCurrent: boolean;
  readonly isOneOfSeveral: boolean;
} {
  useEffect(() => {
    const element = card.current;
    if (element === null) return undefined;
    add(element);
    const choose = (): void => become(element);
    element.addEventListener("focusin", choose);
    return () => {
      element.removeEventListener("focusin", choose);
      remove(element);
    };
  }, [card]);
  const isCurrent = useSyncExternalStore(subscribe, () => current !== undefined && current === card.current);
  const isOneOfSeveral = useSyncExternalStore(subscribe, () => questions.length > 1);
  return { isCurrent, isOneOfSeveral };
}

/** Goes to the next question or to the one before; returns whether there is one. */
export function moveCurrentQuestion(step: 1 | -1): boolean {
  const next = current === undefined ? undefined : questions[questions.indexOf(current) + step];
  if (next === undefined) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
  return true;
}

function add(element: HTMLElement): void {
  questions = [...questions, element].toSorted((one, other) =>
    one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
  );
  const isSettled = performance.now() - currentSinceMs >= settleMs;
  const isFirst = questions[0] === element;
  if (current === undefined || (isFirst && !isSettled)) become(element);
  else notify();
}

function remove(element: HTMLElement): void {
  const index = questions.indexOf(element);
  questions = questions.filter((each) => each !== element);
  // The next one moves up into its place.
  if (current === element) become(questions[index] ?? questions.at(-1));
  else notify();
}

function become(element: HTMLElement | undefined): void {
  if (current !== element) currentSinceMs = performance.now();
  current = element;
  notify();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
