// Timer for what expires by the clock: approvals and forms.

/** A clock may jump and a laptop may sleep, so that the expiry is looked at again at least this often. */
const maxCheckMs = 15_000;

/** Looks at the clock when the next of its owner's entries expires. `close` stops it. */
export class ExpiryWatch {
  readonly #now: () => Date;
  readonly #open: () => Iterable<{ readonly expiresAt: string }>;
  readonly #expireDue: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => Date, open: () => Iterable<{ readonly expiresAt: string }>, expireDue: () => void) {
    this.#now = now;
    this.#open = open;
    this.#expireDue = expireDue;
  }

  /** Something new is open. */
  update(): void {
    clearTimeout(this.#timer);
    const expiries = [...this.#open()].map(({ expiresAt }) => Date.parse(expiresAt));
    if (expiries.length === 0) return;
    const leftMs = Math.min(...expiries) - this.#now().getTime();
    this.#timer = setTimeout(
      () => {
        this.#expireDue();
        this.update();
      },
      Math.min(Math.max(leftMs, 1), maxCheckMs),
    );
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
