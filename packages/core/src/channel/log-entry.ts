// One action in the log of its channel, and what readers have made of it.
import type { Action, ClientId } from "@holdfast/ahp";

/** The client that sent an action, and the number it gave it. */
export interface ActionOrigin {
  readonly clientId: ClientId;
  readonly clientSeq: number;
}

/**
 * A way to show entries, such as the ready text of one dialect.
 * It is known by its identity: make it once, not once for each reader.
 */
export interface Projection<Shown> {
  readonly name: string;
  readonly show: (entry: LogEntry) => Shown;
}

export interface LogEntryParts {
  readonly channel: string;
  readonly serverSeq: number;
  readonly action: Action;
  readonly origin: ActionOrigin | undefined;
  readonly sizeBytes: number;
  readonly atMs: number;
}

/** An action that was applied, with its place in the order of the whole host. */
export class LogEntry {
  /** The URI of its channel. */
  readonly channel: string;
  readonly serverSeq: number;
  readonly action: Action;
  /** Absent for the host's own actions. */
  readonly origin: ActionOrigin | undefined;
  /** An estimate of the memory it takes, without what is cached. */
  readonly sizeBytes: number;
  /** When it was applied, in milliseconds since 1970. */
  readonly atMs: number;
  /** Nearly always a channel is shown in one way only: that one needs no map. */
  #projection: Projection<unknown> | undefined;
  #shown: unknown;
  #others: Map<Projection<unknown>, unknown> | undefined;

  constructor({ channel, serverSeq, action, origin, sizeBytes, atMs }: LogEntryParts) {
    this.channel = channel;
    this.serverSeq = serverSeq;
    this.action = action;
    this.origin = origin;
    this.sizeBytes = sizeBytes;
    this.atMs = atMs;
  }

  /** The entry as a projection shows it: made for the first reader who asks, kept for all others, gone with the entry. */
  cached<Shown>(projection: Projection<Shown>): Shown {
    if (this.#projection === projection) return this.#shown as Shown;
    if (this.#projection === undefined) {
      const shown = projection.show(this);
      this.#projection = projection;
      this.#shown = shown;
      return shown;
    }
    this.#others ??= new Map();
    if (!this.#others.has(projection)) this.#others.set(projection, projection.show(this));
    return this.#others.get(projection) as Shown;
  }
}
