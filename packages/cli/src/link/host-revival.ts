// Starting of a host in place of one that crashed, for a command that waits for it (C863).
import { messageOf } from "../command-error.ts";
import type { HostPlace } from "./host-link.ts";

export interface HostRevivalParts {
  /** The host that runs in the home, or one that is started because the last one crashed; undefined where neither is. */
  readonly revive: () => Promise<{ readonly place: HostPlace; readonly isNew: boolean } | undefined>;
  /** Takes the place of the host. */
  readonly onFound: (place: HostPlace) => void;
  readonly note: (line: string) => void;
  readonly afterMs?: number;
}

/** How long the host may be away before this client starts one: a supervisor, such as systemd, restarts it first. */
const defaultAfterMs = 5000;

/** Knows since when no connection to the host succeeded. Its owner closes it. */
export class HostRevival {
  readonly #parts: HostRevivalParts;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a start failed since the last connection: the next one would fail for the same reason. */
  #hasFailed = false;
  #isClosed = false;
  #outcome: Promise<boolean> | undefined;

  constructor(parts: HostRevivalParts) {
    this.#parts = parts;
  }

  /** Whether the last search brought a host that was started again; undefined where the next one is not due yet. */
  get outcome(): Promise<boolean> | undefined {
    return this.#outcome;
  }

  connectionFailed(): void {
    if (this.#isClosed || this.#hasFailed || this.#timer !== undefined) return;
    this.#outcome = undefined;
    this.#timer = setTimeout(() => {
      this.#outcome = this.#revive();
    }, this.#parts.afterMs ?? defaultAfterMs).unref();
  }

  connectionOpened(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hasFailed = false;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #revive(): Promise<boolean> {
    const { revive, onFound, note } = this.#parts;
    try {
      const found = await revive();
      if (found === undefined || this.#isClosed) return false;
      if (found.isNew) note(`The host had crashed, so it was started again: ${found.place.url}`);
      onFound(found.place);
      return found.isNew;
    } catch (error) {
      this.#hasFailed = true;
      if (!this.#isClosed) note(messageOf(error));
      return false;
    } finally {
      this.#timer = undefined;
    }
  }
}
