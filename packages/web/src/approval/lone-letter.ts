// A lone letter in the message field: an answer, one that came too early, or the first letter of a message (Z973).
import { changeDraft } from "../chat/message-draft.ts";
import { messageFieldId } from "../chat/message-focus.ts";
import { isComposing } from "../ui/composing.ts";

/** Somebody who writes a message has typed the next letter by then. */
const pauseMs = 700;

/** Empties the field and calls `onLone` when nothing else is typed after the letter for 0.7 s, or with Enter. */
export function watchLetter(field: HTMLTextAreaElement, key: string, onLone: () => void): void {
  const stop = new AbortController();
  const settle = (): void => {
    stop.abort();
    if (!isLone(field, key)) return;
    changeDraft({ kind: "replace", text: "" });
    onLone();
  };
  const timer = setTimeout(settle, pauseMs);
  stop.signal.addEventListener("abort", () => clearTimeout(timer));
  const press = (event: KeyboardEvent): void => {
    const isEnter = event.key === "Enter" && !event.shiftKey && !isComposing(event);
    const isHeld = event.repeat && event.key.toLowerCase() === key;
    if (event.target !== field || !isLone(field, key) || !(isEnter || isHeld)) return stop.abort();
    swallow(event);
    if (isEnter) settle();
  };
  addEventListener("keydown", press, { capture: true, signal: stop.signal });
}

/** After an answer by a key the message field has the focus: the same key, held or pressed again, is no text. */
export function watchEcho(key: string): void {
  const stop = new AbortController();
  let timer = setTimeout(() => stop.abort(), pauseMs);
  const press = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== key) return stop.abort();
    const field = emptyMessageField(event.target);
    if (!event.repeat) {
      stop.abort();
      if (field !== undefined) watchLetter(field, key, () => undefined);
      return;
    }
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), pauseMs);
    if (field !== undefined) swallow(event);
  };
  addEventListener("keydown", press, { capture: true, signal: stop.signal });
}

/** The message field, if it is the target and empty. */
export function emptyMessageField(target: EventTarget | null): HTMLTextAreaElement | undefined {
  const isEmptyField =
    target instanceof HTMLTextAreaElement && target.id === messageFieldId && target.value === "";
  return isEmptyField ? target : undefined;
}

/** Keeps a key from everything else. */
export function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

function isLone(field: HTMLTextAreaElement, key: string): boolean {
  return field.value.toLowerCase() === key;
}
