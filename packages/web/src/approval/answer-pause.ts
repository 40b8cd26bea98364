// The pause after a decision: the next question takes the place of the last one, under the same key and pointer (Z958).
import { useSyncExternalStore } from "react";

const pauseMs = 700;

const listeners = new Set<() => void>();
let end: ReturnType<typeof setTimeout> | undefined;

/** A question was answered on this page: for a moment no other one is. */
export function pauseAnswers(): void {
  clearTimeout(end);
  end = setTimeout(() => {
    end = undefined;
    notify();
  }, pauseMs);
  notify();
}

/** Whether questions take no answers at the moment. */
export function useAnswerPause(): boolean {
  return useSyncExternalStore(subscribe, isPaused);
}

function isPaused(): boolean {
  return end !== undefined;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
