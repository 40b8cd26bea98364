// The layout of diffs: as the person chose, and unified where two columns do not fit.
import { useSyncExternalStore } from "react";
import { diffLayout, listenToDiffLayout } from "../chat/diff-layout.ts";
import type { Layout } from "./diff-rows.ts";

const narrow = matchMedia("(max-width: 1023px)");

export function useLayout(): {
  readonly layout: Layout;
  /** Whether side by side does not fit. */
  readonly isNarrow: boolean;
} {
  const chosen = useSyncExternalStore(listenToDiffLayout, diffLayout);
  const isNarrow = useSyncExternalStore(listenToWidth, () => narrow.matches);
  return { layout: isNarrow ? "unified" : chosen, isNarrow };
}

function listenToWidth(listener: () => void): () => void {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
