// Keys that answer the current question (Z806), and that go to another one (Z972).
import { useEffect, useRef } from "react";
import { changeDraft } from "../chat/message-draft.ts";
import { messageFieldId } from "../chat/message-focus.ts";
import { moveCurrentQuestion } from "./current-question.ts";

/** A question that has just appeared is not answered by a letter that was meant for something else. */
const settleMs = 500;
/** A letter in the message field may be the first of a message. */
const pauseMs = 700;

const steps: Readonly<Partial<Record<string, 1 | -1>>> = { j: 1, k: -1 };

/** Answers the current question by its keys; `onKey` says whether a key is an answer, and gives it if asked to. */
export function useAnswerKeys(isCurrent: boolean, onKey: (key: string, isGiven: boolean) => boolean): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    if (!isCurrent) return undefined;
    const shownMs = performance.now();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const answerAfterPause = (key: string, field: HTMLTextAreaElement): void => {
      waiting = setTimeout(() => {
        if (field.value.toLowerCase() !== key || !latest.current(key, true)) return;
        changeDraft({ kind: "replace", text: "" });
      }, pauseMs);
    };
    const press = (event: KeyboardEvent): void => {
      clearTimeout(waiting);
      const key = event.key.toLowerCase();
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const step = steps[key];
      if (step !== undefined && !isOccupied(event.target) && moveCurrentQuestion(step)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      if (performance.now() - shownMs < settleMs || !latest.current(key, false)) return;
      const { target } = event;
      if (isEmptyMessage(target)) {
        answerAfterPause(key, target);
        return;
      }
      if (isOccupied(target)) return;
      latest.current(key, true);
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    // Before the shortcuts of the page.
    addEventListener("keydown", press, { capture: true });
    return () => {
      clearTimeout(waiting);
      removeEventListener("keydown", press, { capture: true });
    };
  }, [isCurrent]);
}

/** Where keys have another meaning. */
const occupied = "input, textarea, select, dialog, [popover], .xterm";

function isOccupied(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(occupied) !== null;
}

function isEmptyMessage(target: EventTarget | null): target is HTMLTextAreaElement {
  return target instanceof HTMLTextAreaElement && target.id === messageFieldId && target.value === "";
}
