// Listeners of changes in the folders of sessions: a turn has ended, or somebody reverted, staged, committed or reviewed.
import type { SessionUri } from "@holdfast/ahp";

type Listener = (session: SessionUri) => void;

/** The listeners of one host. */
export class ChangeListeners {
  readonly #listeners = new Set<Listener>();

  /** Calls a listener for every change, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  notify(session: SessionUri): void {
    for (const listener of this.#listeners) listener(session);
  }
}
