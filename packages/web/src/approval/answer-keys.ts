// Keys that answer the current question (Z806), and that go to another one (Z972).
import { type RefObject, useEffect, useRef } from "react";
import { messageFieldId, msSinceTyping } from "../chat/message-focus.ts";
import { isTypingIn } from "../find/shortcuts.ts";
import { isComposing } from "../ui/composing.ts";
import { moveCurrentQuestion } from "./current-question.ts";
import { emptyMessageField, swallow, watchLetter } from "./lone-letter.ts";

/** A question that has just appeared is not answered by a letter that was meant for something else. */
const settleMs = 500;
/** A letter that was typed this long before a question appeared may have been meant for one. */
const earlyMs = 1000;

/** A standing permission is not given by a message that begins with "a": there the key is text. */
const keysInField: ReadonlySet<string> = new Set(["y", "n"]);

const steps: Readonly<Partial<Record<string, 1 | -1>>> = { j: 1, k: -1 };

export interface QuestionKeys {
  readonly isAnswer: (key: string) => boolean;
  /** Whether the question takes an answer now (Z958). */
  readonly isOpen: boolean;
  readonly give: (key: string) => void;
  /** A letter was removed from the message field: nobody could have read the question before it. */
  readonly onEarly: (key: string) => void;
}

/** Answers a question by its keys while it is the current one. */
export function useAnswerKeys(
  card: RefObject<HTMLElement | null>,
  isCurrent: boolean,
  keys: QuestionKeys,
): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!isCurrent) return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    let shownMs = performance.now();
    const watch = (field: HTMLTextAreaElement, key: string, isEarly: boolean): void =>
      watchLetter(field, key, () => {
        if (signal.aborted) return;
        if (isEarly) latest.current.onEarly(key);
        else if (latest.current.isAnswer(key)) latest.current.give(key);
      });
    const press = (event: KeyboardEvent): void => {
      if (isComposing(event)) return;
      const key = event.key.toLowerCase();
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const step = steps[key];
      if (step !== undefined && !isTypingIn(event.target) && moveCurrentQuestion(step)) swallow(event);
      if (!latest.current.isAnswer(key)) return;
      const field = emptyMessageField(event.target);
      if (field === undefined ? isTypingIn(event.target) : !keysInField.has(key)) return;
      if (!isInSight(card.current)) {
        card.current?.scrollIntoView({ block: "nearest" });
        shownMs = performance.now();
      }
      const isEarly = performance.now() - shownMs < settleMs || !latest.current.isOpen;
      if (field !== undefined) return watch(field, key, isEarly);
      swallow(event);
      if (!isEarly) latest.current.give(key);
    };
    // Before the shortcuts of the page.
    addEventListener("keydown", press, { capture: true, signal });
    document.addEventListener("visibilitychange", () => (shownMs = performance.now()), { signal });
    const early = earlyLetter();
    if (early !== undefined && latest.current.isAnswer(early.key)) watch(early.field, early.key, true);
    return () => stop.abort();
  }, [card, isCurrent]);
}

/** The lone letter that somebody typed into the message field right before the question. */
function earlyLetter(): { readonly field: HTMLTextAreaElement; readonly key: string } | undefined {
  const field = document.getElementById(messageFieldId);
  if (!(field instanceof HTMLTextAreaElement) || field !== document.activeElement) return undefined;
  const key = field.value.toLowerCase();
  return msSinceTyping() < earlyMs && keysInField.has(key) ? { field, key } : undefined;
}

/** Whether the end of a question, with its answers, is in sight and nothing covers it. */
function isInSight(card: HTMLElement | null): boolean {
  const button = card?.querySelector("button")?.getBoundingClientRect();
  if (card === null || button === undefined) return false;
  const { left, top, width, height } = button;
  return card.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}
