// Needs of a person: questions, which the inbox, the title and the icon count, and finished turns, which they do not.
import type { SessionSummary } from "@holdfast/ahp";
import { useEffect, useMemo, useRef } from "react";
import { notifyOfNews } from "./notifications.ts";

export interface Needs {
  /** Sessions that ask something. */
  readonly asking: readonly SessionSummary[];
  /** Sessions whose last turn ended, or that failed, since somebody looked at them. */
  readonly finished: readonly SessionSummary[];
  /** The questions: nothing waits for a person in a finished session (Z971). */
  readonly count: number;
}

/** What needs a person in all sessions. */
export function needsOf(sessions: readonly SessionSummary[]): Needs {
  const asking = sessions.filter(({ inputNeededCount }) => inputNeededCount > 0);
  const finished = sessions.filter(
    ({ inputNeededCount, isRead, isArchived, phase: { status } }) =>
      inputNeededCount === 0 &&
      !isRead &&
      !isArchived &&
      (status === "ready" || status === "stale" || status === "failed"),
  );
  const count = asking.reduce((sum, { inputNeededCount }) => sum + inputNeededCount, 0);
  return { asking, finished, count };
}

/** Shows the count in the title and in the icon, and notifies of what is new while the page is hidden. */
export function useAttentionSigns(sessions: readonly SessionSummary[]): Needs {
  const needs = useMemo(() => needsOf(sessions), [sessions]);
  const { count } = needs;
  useEffect(() => {
    showCount(count);
    // A browser that is signed out shows nothing of the host.
    return () => showCount(0);
  }, [count]);
  const before = useRef(needs);
  useEffect(() => {
    const earlier = before.current;
    before.current = needs;
    if (document.hidden) notifyOfNews(needs, earlier);
  }, [needs]);
  return needs;
}

function showCount(count: number): void {
  document.title = count > 0 ? `(${count}) Holdfast` : "Holdfast";
  showIcon(count > 0);
  showBadge(count);
}

let plainIcon: string | undefined;

/** Marks the tab's icon while something needs a person. */
function showIcon(isMarked: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null) return;
  plainIcon ??= icon.href;
  icon.href = isMarked ? markedIcon : plainIcon;
}

/** The icon of the page with a dot, as a data URI. */
const markedIcon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#14424a"/>' +
    '<path d="M10 6v20M22 6v20M10 16h12" stroke="#e8f1ef" stroke-width="3.4" stroke-linecap="round" fill="none"/>' +
    '<circle cx="25" cy="7" r="7" fill="#f2722b"/></svg>',
)}`;

/** Shows the count on the icon of an installed page, where the system can. */
function showBadge(count: number): void {
  if (!("setAppBadge" in navigator)) return;
  // It fails where the page is not installed, and then there is no icon to mark.
  const shown = count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge();
  shown.catch(() => undefined);
}
