// The idle timeout of a session: unloads what nobody has used for long enough. `HostSession` decides what is busy.

export interface IdleParts {
  readonly idleMs: number;
  /** Whether something of it is still at work. */
  isBusy(): Promise<boolean>;
  /** Unloads what it can; when it fails, it is tried again later. */
  unload(): Promise<void>;
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

  /** Somebody uses the session: its idle time starts again. */
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
      else await this.#parts.unload();
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
