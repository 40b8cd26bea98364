// Return of the keyboard focus to the message field, from controls that disappear when they are used.

export const messageFieldId = "message-field";

/** On a phone the focus opens the keyboard, which covers half of the conversation. */
export const hasTouchKeyboard = matchMedia("(pointer: coarse)").matches;

let typedMs = Number.NEGATIVE_INFINITY;

export function noteTyping(): void {
  typedMs = performance.now();
}

/** The time since somebody last typed into the message field. */
export function msSinceTyping(): number {
  return performance.now() - typedMs;
}

/** Whether somebody has typed into the message field since a time of `performance.now()`; the clock has coarse ticks. */
export function hasTypedSince(sinceMs: number): boolean {
  return typedMs > sinceMs;
}

/** Focuses the message field, where the view has one; otherwise the next letters would be shortcuts. */
export function focusMessageField(): void {
  if (!hasTouchKeyboard) document.getElementById(messageFieldId)?.focus();
}
