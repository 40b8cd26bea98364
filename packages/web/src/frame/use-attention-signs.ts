// Tells a person who looks elsewhere that something waits: in the tab's title, and as a notification where they allow it.
import { useEffect, useRef } from "react";
import type { SessionSummary } from "@holdfast/ahp";
import { sessionName } from "../session/session-words.ts";
import { goTo } from "./route.ts";

/** How many questions wait; counted in the title, and told as a notification when there are more while the page is hidden. */
export function useAttentionSigns(sessions: readonly SessionSummary[]): number {
  const waitingCount = sessions.reduce((sum, session) => sum + session.inputNeededCount, 0);
  const before = useRef(waitingCount);
  useEffect(() => {
    document.title = waitingCount > 0 ? `(${waitingCount}) Holdfast` : "Holdfast";
    if (waitingCount > before.current && document.hidden && notificationsAllowed()) notify(sessions);
    before.current = waitingCount;
  }, [waitingCount]);
  return waitingCount;
}

/** Whether the browser has notifications and the person has not been asked about them. */
export function canAskForNotifications(): boolean {
  return "Notification" in window && Notification.permission === "default";
}

function notify(sessions: readonly SessionSummary[]): void {
  const asking = sessions.filter(({ inputNeededCount }) => inputNeededCount > 0).map(sessionName);
  const title = asking.length === 1 ? "An agent asks you" : `${asking.length} agents ask you`;
  const notification = new Notification(title, { body: asking.join(", "), tag: "holdfast-waiting" });
  notification.addEventListener("click", () => {
    window.focus();
    goTo({ place: "inbox" });
  });
}

function notificationsAllowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}
