// Notifies watchers of the whole host of what happens in its sessions.
import type { SessionState } from "@holdfast/ahp";
import type { HostEvent, HostWatcher } from "./host-event.ts";

type Untold<Event> = Event extends HostEvent ? Omit<Event, "at" | "sessionKey" | "owner" | "agentId"> : never;

/** The watchers of one host. */
export class HostWatchers {
  readonly #now: () => Date;
  readonly #watchers = new Set<HostWatcher>();
  /** Events from before the host had started, when nobody could watch yet. */
  readonly #found: HostEvent[] = [];
  #isStarting = true;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Tells a watcher what was found at the start and what happens from now on, until the returned function is called. */
  watch(watcher: HostWatcher): () => void {
    for (const event of this.#found) watcher(event);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Tells all watchers of something that happened in a session. */
  notify(
    { key: sessionKey, owner, provider: agentId }: Pick<SessionState, "key" | "owner" | "provider">,
    untold: Untold<HostEvent>,
  ): void {
    const event: HostEvent = { at: this.#now().toISOString(), sessionKey, owner, agentId, ...untold };
    if (this.#isStarting) this.#found.push(event);
    for (const watcher of this.#watchers) watcher(event);
  }

  /** The host has started. */
  started(): void {
    this.#isStarting = false;
  }
}
