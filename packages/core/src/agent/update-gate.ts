// Decides which updates of an agent are news: a history that is told again is not, nor is a session that was left.
import type { AcpUpdate } from "./acp.ts";
import { isSetting } from "./session-updates.ts";

/** Stands between an agent's updates and the session that they are for. */
export class UpdateGate {
  readonly #left = new Set<string>();
  #replays = 0;

  /** Whether an update goes through. */
  admits(sessionId: string | undefined, update: AcpUpdate): boolean {
    if (sessionId !== undefined && this.#left.has(sessionId)) return false;
    return this.#replays === 0 || isSetting(update);
  }

  /** Holds back what was said and done until `reopen` is answered; what is said of the session as it stands is kept. */
  async duringReplay<Result>(reopen: () => Promise<Result>): Promise<Result> {
    this.#replays += 1;
    try {
      return await reopen();
    } finally {
      this.#replays -= 1;
    }
  }

  /** Nothing of this session goes through any more, until it is entered again. */
  leave(sessionId: string): void {
    this.#left.add(sessionId);
  }

  /** This session is in use: an agent that names its sessions after their directories opens one that was left. */
  enter(sessionId: string): void {
    this.#left.delete(sessionId);
  }
}
