// Tickets that open one WebSocket, or sign one browser in, once: a token does not belong in a URL.
import { randomBytes } from "node:crypto";
import type { Revocations } from "./revocations.ts";

interface Ticket {
  readonly ticket: string;
  readonly expiresAt: string;
}

interface OpenTicket {
  readonly clientId: string;
  readonly expiresAtMs: number;
  /** On a clock that only goes forward: setting the machine's clock back does not prolong a ticket. */
  readonly issuedAtMs: number;
  readonly forget: () => void;
}

/** How long a ticket for a WebSocket, and one for a browser, may be unused. */
export const TICKET_LIFETIMES_MS = { socket: 30_000, signIn: 10 * 60_000 } as const;
/** The number that may be open at once; beyond it, the oldest is dropped. */
const maxOpen = 1000;

/** The tickets that were given out and not used. */
export class Tickets {
  readonly #revocations: Revocations;
  readonly #now: () => Date;
  readonly #lifetimeMs: number;
  readonly #open = new Map<string, OpenTicket>();

  readonly #steadyMs: () => number;

  /** `steadyMs` is a clock that only goes forward. */
  constructor(
    revocations: Revocations,
    now: () => Date,
    lifetimeMs: number = TICKET_LIFETIMES_MS.socket,
    steadyMs: () => number = () => performance.now(),
  ) {
    this.#steadyMs = steadyMs;
    this.#lifetimeMs = lifetimeMs;
    this.#revocations = revocations;
    this.#now = now;
  }

  /** Makes a ticket for a client; it goes with the client's right. */
  issue(clientId: string): Ticket {
    this.#dropOld();
    const ticket = randomBytes(24).toString("base64url");
    const expiresAtMs = this.#now().getTime() + this.#lifetimeMs;
    const forget = this.#revocations.watch(clientId, () => this.#open.delete(ticket));
    this.#open.set(ticket, { clientId, expiresAtMs, issuedAtMs: this.#steadyMs(), forget });
    return { ticket, expiresAt: new Date(expiresAtMs).toISOString() };
  }

  /** Whose ticket it is, once; undefined when it was used, is too old, or never was one (E62). */
  redeem(ticket: string): string | undefined {
    const found = this.#open.get(ticket);
    if (found === undefined) return undefined;
    this.#drop(ticket, found);
    return this.#isValid(found) ? found.clientId : undefined;
  }

  #dropOld(): void {
    for (const [ticket, open] of this.#open) {
      if (this.#isValid(open) && this.#open.size < maxOpen) return;
      this.#drop(ticket, open);
    }
  }

  /** By the machine's clock and by the time that has passed, whichever ends it first (A710). */
  #isValid({ expiresAtMs, issuedAtMs }: OpenTicket): boolean {
    return expiresAtMs >= this.#now().getTime() && this.#steadyMs() - issuedAtMs <= this.#lifetimeMs;
  }

  #drop(ticket: string, { forget }: OpenTicket): void {
    this.#open.delete(ticket);
    forget();
  }
}
