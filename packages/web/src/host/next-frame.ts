// Notifier of listeners: calls each at most once per frame that the browser draws.

/** A hidden page draws nothing, and still has to count what waits for a person. */
const hiddenDelayMs = 250;

const waiting = new Set<() => void>();
let isScheduled = false;

/** Calls back in the next frame; a callback that already waits is called once. */
export function atNextFrame(callback: () => void): void {
  waiting.add(callback);
  if (isScheduled) return;
  isScheduled = true;
  if (document.hidden) setTimeout(callAll, hiddenDelayMs);
  else requestAnimationFrame(callAll);
}

function callAll(): void {
  isScheduled = false;
  const callbacks = [...waiting];
  waiting.clear();
  for (const callback of callbacks) callback();
}

// A page that is hidden between the request and the frame gets no frame; waiting callbacks are called when it is hidden.
document.addEventListener("visibilitychange", () => {
  if (isScheduled && document.hidden) setTimeout(callAll, hiddenDelayMs);
});
