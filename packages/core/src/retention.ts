// Removal of data that is older or more than the host is configured to keep, a little at a time.
import { type SessionUri, makeId } from "@holdfast/ahp";
import { removeChanges } from "./changes/session-changes.ts";
import type { Storage, TerminalSpool } from "./ports.ts";

/** How long and how much to keep. */
export interface RetentionRules {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  readonly auditMaxAgeMs: number;
}

/** Dependencies of retention. */
export interface RetentionParts {
  readonly storage: Storage;
  readonly spool: TerminalSpool | undefined;
  /** The folder that holds one for the snapshots of each session. */
  readonly changesFolder: string;
  /** Removes the files that the agent of a session kept. */
  readonly removeAgentFolders: (session: SessionUri) => Promise<void>;
  readonly rules: RetentionRules;
  readonly everyMs: number;
  readonly now: () => Date;
  onFault(error: unknown): void;
}

/** Between two steps others get their turn, also those who write. */
const pauseMs = 50;
/** The first look is soon: a host that is started often must prune too. But not while it has most to do. */
const firstMs = 60_000;

/** Prunes now and then. `close` ends it. */
export class RetentionWatch {
  readonly #parts: RetentionParts;
  #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#timer = this.#later(Math.min(firstMs, parts.everyMs));
  }

  /** One step; gives whether there is more to do. */
  async step(): Promise<boolean> {
    const { storage, spool, changesFolder, removeAgentFolders, rules, now } = this.#parts;
    const { isDone, terminals, sessions } = storage.prune({ nowMs: now().getTime(), ...rules });
    for (const session of sessions) {
      await removeChanges(changesFolder, session);
      await removeAgentFolders(makeId("session URI", session));
    }
    for (const terminal of terminals) await spool?.remove(terminal);
    return !isDone;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #later(delayMs: number): NodeJS.Timeout {
    const timer = setTimeout(() => void this.#run(), delayMs);
    timer.unref();
    return timer;
  }

  async #run(): Promise<void> {
    let hasMore = false;
    try {
      hasMore = await this.step();
    } catch (error) {
      this.#parts.onFault(error);
    }
    if (!this.#isClosed) this.#timer = this.#later(hasMore ? pauseMs : this.#parts.everyMs);
  }
}
