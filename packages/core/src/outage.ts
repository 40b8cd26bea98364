// Outage of the storage: fails the running turns, stops agents that write on, and resumes when changes are recorded.
import { type Recording, storageUnavailable } from "./channel/recording.ts";
import type { HostSession } from "./session/host-session.ts";
import type { Log } from "./session/session-deps.ts";

/** Limit of what waits in memory while nothing can be recorded, before agents are stopped. */
const maxPendingBytes = 8 * 1024 * 1024;
const checkMs = 1000;

export class OutageWatch {
  readonly #sessions: () => readonly HostSession[];
  readonly #log: Log;
  #recording: Recording | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sessions: () => readonly HostSession[], log: Log) {
    this.#sessions = sessions;
    this.#log = log;
  }

  watch(recording: Recording): void {
    this.#recording = recording;
  }

  /** Turns fail, because what they do cannot be recorded; agents that write on although nobody asked are stopped. */
  begin(failure: unknown): void {
    const error = storageUnavailable(failure);
    this.#log("error", `Changes cannot be recorded. ${error.message}`, { error: failure });
    for (const { turns } of this.#sessions()) turns.abort(error);
    this.#timer = setInterval(() => {
      if ((this.#recording?.pendingBytes ?? 0) < maxPendingBytes) return;
      clearInterval(this.#timer);
      const message =
        "Too many changes wait to be recorded: agents are stopped, and restart with their next turn";
      this.#log("warn", message);
      for (const session of this.#sessions()) session.stopAgent();
    }, checkMs);
    this.#timer.unref();
  }

  end(): void {
    this.close();
    this.#log("info", "Changes are recorded again");
    for (const { turns } of this.#sessions()) turns.goOn();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
