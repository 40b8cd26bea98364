// The layout of diffs: unified or side by side, as the person chose; unified where two columns do not fit.
import { useState, useSyncExternalStore } from "react";
import type { Layout } from "./diff-rows.ts";

const storageKey = "holdfast-diff-layout";
const narrow = matchMedia("(max-width: 1023px)");

export function useLayout(): {
  readonly layout: Layout;
  /** Whether side by side does not fit. */
  readonly isNarrow: boolean;
  readonly choose: (layout: Layout) => void;
} {
  const [chosen, setChosen] = useState<Layout>(readChoice);
  const isNarrow = useSyncExternalStore(listenToWidth, () => narrow.matches);
  return {
    layout: isNarrow ? "unified" : chosen,
    isNarrow,
    choose: (layout) => {
      setChosen(layout);
      try {
        localStorage.setItem(storageKey, layout);
      } catch {
        // Denied: the choice holds as long as the view.
      }
    },
  };
}

function readChoice(): Layout {
  try {
    return localStorage.getItem(storageKey) === "split" ? "split" : "unified";
  } catch {
    // Denied: the default.
    return "unified";
  }
}

function listenToWidth(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
