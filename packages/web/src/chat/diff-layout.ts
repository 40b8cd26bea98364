// How differences are shown, unified or side by side, remembered in this browser.

export type DiffLayout = "unified" | "split";

const storageKey = "holdfast-diff-layout";
const listeners = new Set<() => void>();

export function diffLayout(): DiffLayout {
  return localStorage.getItem(storageKey) === "split" ? "split" : "unified";
}

export function setDiffLayout(layout: DiffLayout): void {
  localStorage.setItem(storageKey, layout);
  for (const listener of listeners) listener();
}

/** Notifies a listener of every change, until the returned function is called. */
export function listenToDiffLayout(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
