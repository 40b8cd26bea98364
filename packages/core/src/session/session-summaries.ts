// Keeps the summaries in step: what a session says of its chat, and what the root says of the session.
import {
  type ChatUri,
  ROOT_URI,
  type SessionSummary,
  type SessionSummaryChanges,
  type SessionUri,
  summarizeChat,
  summarizeSession,
} from "@holdfast/ahp";
import type { Hub } from "../channel/hub.ts";

/** The summaries of one session; `update` costs nothing when nothing that shows has changed. */
export class SessionSummaries {
  readonly #hub: Hub;
  readonly #session: SessionUri;
  readonly #chat: ChatUri;
  #chatShown = "";
  #sessionShown = "";

  constructor(hub: Hub, session: SessionUri, chat: ChatUri) {
    this.#hub = hub;
    this.#session = session;
    this.#chat = chat;
  }

  update(): void {
    const chat = this.#hub.state(this.#chat, "chat");
    if (chat !== undefined) {
      const { title, modifiedAt, isRead, isArchived, phase, activity } = summarizeChat(chat);
      // What is left out stays unchanged: only null removes it. Written out, because the log keeps many of them:
      // each object that rest syntax makes has its own hidden class, larger than itself (N242).
      const changes = { title, modifiedAt, isRead, isArchived, phase, activity: activity ?? null };
      const shown = JSON.stringify(changes);
      if (shown !== this.#chatShown) {
        this.#hub.dispatch(this.#session, { type: "session/chatUpdated", chat: this.#chat, changes });
      }
      this.#chatShown = shown;
    }
    const session = this.#hub.state(this.#session, "session");
    if (session === undefined) return;
    const changes = shownChanges(summarizeSession(session));
    const shown = JSON.stringify(changes);
    if (shown !== this.#sessionShown) {
      this.#hub.dispatch(ROOT_URI, { type: "root/sessionSummaryChanged", session: this.#session, changes });
    }
    this.#sessionShown = shown;
  }
}

/** All that the list shows; null takes a field away. */
function shownChanges({
  title,
  lastActivityAt,
  isRead,
  isArchived,
  phase,
  inputNeededCount,
  label,
  activity,
  workingDirectories,
  changes,
  annotationCounts,
}: SessionSummary): Required<SessionSummaryChanges> {
  return {
    title,
    lastActivityAt,
    isRead,
    isArchived,
    phase,
    inputNeededCount,
    workingDirectories,
    label: label ?? null,
    activity: activity ?? null,
    changes: changes ?? null,
    annotationCounts: annotationCounts ?? null,
  };
}
