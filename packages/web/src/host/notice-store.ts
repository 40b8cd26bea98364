// Notices to the person at the page, each shown for a while.
import { randomId } from "./client-id.ts";

/** A sentence, and whether something went wrong. */
export interface PageNotice {
  readonly id: string;
  readonly kind: "problem" | "news";
  readonly text: string;
}

const shownMs = 9000;
const maxShown = 4;

/** The notices that are shown just now, oldest first. */
export class NoticeStore {
  readonly #listeners = new Set<() => void>();
  #shown: readonly PageNotice[] = [];

  /** The same list until something changes. */
  readonly view = (): readonly PageNotice[] => this.#shown;

  /** Notifies a listener of every change, until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Shows a sentence; the same sentence again only restarts its time. */
  say(kind: PageNotice["kind"], text: string): void {
    const notice = { id: randomId(), kind, text };
    const others = this.#shown.filter((shown) => shown.text !== text);
    this.#become([...others, notice].slice(-maxShown));
    setTimeout(() => this.dismiss(notice.id), shownMs);
  }

  /** Takes a notice away. */
  dismiss(id: string): void {
    if (this.#shown.some((notice) => notice.id === id)) {
      this.#become(this.#shown.filter((notice) => notice.id !== id));
    }
  }

  clear(): void {
    if (this.#shown.length > 0) this.#become([]);
  }

  #become(shown: readonly PageNotice[]): void {
    this.#shown = shown;
    for (const listener of this.#listeners) listener();
  }
}
