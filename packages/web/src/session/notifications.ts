// The browser's notifications of questions and finished turns.
import type { SessionSummary } from "@holdfast/ahp";
import { goTo, type Route } from "../frame/route.ts";
import { sessionName } from "./session-words.ts";

/** The sessions that a person may be notified of. */
interface Noteworthy {
  readonly asking: readonly SessionSummary[];
  readonly finished: readonly SessionSummary[];
}

/** Whether the browser has notifications and the person has not been asked about them. */
export function canAskForNotifications(): boolean {
  return "Notification" in window && Notification.permission === "default";
}

/** Notifies of what is new since earlier, if the person allowed that. */
export function notifyOfNews(now: Noteworthy, earlier: Noteworthy): void {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  notifyOfQuestions(now, earlier);
  notifyOfFinished(now, earlier);
}

function notifyOfQuestions({ asking }: Noteworthy, earlier: Noteworthy): void {
  const known = new Map(earlier.asking.map(({ resource, inputNeededCount }) => [resource, inputNeededCount]));
  const isNew = asking.some(
    ({ resource, inputNeededCount }) => inputNeededCount > (known.get(resource) ?? 0),
  );
  if (!isNew) return;
  const title = asking.length === 1 ? "An agent needs you" : `${asking.length} agents need you`;
  notify(title, asking.map(sessionName).join(", "), "holdfast-waiting", { place: "inbox" });
}

function notifyOfFinished({ finished }: Noteworthy, earlier: Noteworthy): void {
  const known = new Set(earlier.finished.map(({ resource }) => resource));
  for (const session of finished) {
    if (known.has(session.resource)) continue;
    const title = session.phase.status === "failed" ? "An agent failed" : "An agent finished";
    const route: Route = { place: "session", session: session.resource };
    notify(title, sessionName(session), `holdfast-finished ${session.resource}`, route);
  }
}

function notify(title: string, body: string, tag: string, route: Route): void {
  let notification: Notification;
  try {
    notification = new Notification(title, { body, tag });
  } catch {
    // Chrome for Android has the permission but lets only service workers notify; title and badge say the same.
    return;
  }
  notification.addEventListener("click", () => {
    window.focus();
    goTo(route);
  });
}
