// Notices that a session has been left alone for long enough to rest.

/** What an idle session does. */
export interface IdleParts {
  readonly idleMs: number;
  /** Whether something of it is still at work. */
  isBusy(): Promise<boolean>;
  /** Lets go of what it can; when it fails, it is tried again later. */
  rest(): Promise<void>;
  onFault(error: unknown): void;
}

/** Watches one session; it must be touched whenever somebody uses it. `close` ends the watch. */
export class IdleWatch {
  readonly #parts: IdleParts;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: IdleParts) {
    this.#parts = parts;
  }

  /** Somebody uses the session: its rest begins anew. */
  touch(): void {
    if (this.#isClosed) return;
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => void this.#look(), this.#parts.idleMs);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  async #look(): Promise<void> {
    this.#stop();
    try {
      const isBusy = await this.#parts.isBusy();
      // Touched meanwhile, or closed.
      if (this.#timer !== undefined || this.#isClosed) return;
      if (isBusy) this.touch();
      else await this.#parts.rest();
    } catch (error) {
      this.#parts.onFault(error);
      this.touch();
    }
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
