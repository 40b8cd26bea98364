// Tells a person who looks elsewhere that something waits: in the tab's title, and as a notification where they allow it.
import { useEffect, useRef } from "react";

/** Counts in the title, and notifies when the count grows while the page is hidden. */
export function useAttentionSigns(waitingCount: number): void {
  const before = useRef(waitingCount);
  useEffect(() => {
    document.title = waitingCount > 0 ? `(${waitingCount}) Holdfast` : "Holdfast";
    if (waitingCount > before.current && document.hidden && notificationsAllowed()) {
      const notification = new Notification("An agent asks you", {
        body: waitingCount === 1 ? "One question waits." : `${waitingCount} questions wait.`,
        tag: "holdfast-waiting",
      });
      notification.addEventListener("click", () => {
        window.focus();
        location.hash = "#/inbox";
      });
    }
    before.current = waitingCount;
  }, [waitingCount]);
}

/** Whether the browser has notifications and the person has not been asked about them. */
export function canAskForNotifications(): boolean {
  return "Notification" in window && Notification.permission === "default";
}

function notificationsAllowed(): boolean {
  return "Notification" in window && Notification.permission === "granted";
}
