// Progress of slow starts: while the agent of a new session starts, its creator gets `root/progress` every second.
import { ROOT_URI } from "@holdfast/ahp";
import { DEFAULT_TIMEOUTS } from "@holdfast/core";
import type { AhpPort } from "../host-port.ts";
import type { ClientSubscriptions } from "./client-subscriptions.ts";

/** A start within this time needs no progress. */
const quietMs = 1000;
const checkMs = 250;
const frameMs = 1000;
/** The time that an agent has to start; what it does until then is not known, so the progress is the time it has used. */
const totalMs = DEFAULT_TIMEOUTS.handshakeMs;

/** The starts that clients follow. `close` ends all. */
export class StartProgress {
  readonly #hub: AhpPort["hub"];
  readonly #starts = new Map<NodeJS.Timeout, ClientSubscriptions>();

  constructor({ hub }: Pick<AhpPort, "hub">) {
    this.#hub = hub;
  }

  /** Reports on a session that was just created, until its agent is ready or has failed. */
  follow(uri: string, progressToken: string, subscriptions: ClientSubscriptions): void {
    const startMs = performance.now();
    let lastFrameMs: number | undefined;
    const send = (progress: number): void => {
      const message = `Starting ${this.#agentOf(uri)}`;
      const params = { channel: ROOT_URI, progressToken, progress, total: totalMs, message };
      subscriptions.send({ method: "root/progress", params });
    };
    const timer = setInterval(() => {
      const nowMs = performance.now();
      if (!this.#isStarting(uri)) {
        if (lastFrameMs !== undefined) send(totalMs);
        return this.#end(timer);
      }
      if (nowMs - startMs < quietMs || nowMs - (lastFrameMs ?? 0) < frameMs) return;
      lastFrameMs = nowMs;
      send(Math.min(Math.round(nowMs - startMs), totalMs - 1));
    }, checkMs).unref();
    this.#starts.set(timer, subscriptions);
  }

  /** A connection is over. */
  leave(subscriptions: ClientSubscriptions): void {
    for (const [timer, follower] of this.#starts) if (follower === subscriptions) this.#end(timer);
  }

  close(): void {
    for (const timer of this.#starts.keys()) this.#end(timer);
  }

  #end(timer: NodeJS.Timeout): void {
    clearInterval(timer);
    this.#starts.delete(timer);
  }

  #isStarting(uri: string): boolean {
    return this.#hub.state(uri, "session")?.lifecycle.status === "creating";
  }

  #agentOf(uri: string): string {
    const provider = this.#hub.state(uri, "session")?.provider;
    const agents = this.#hub.state(ROOT_URI, "root")?.agents ?? [];
    return agents.find((agent) => agent.provider === provider)?.displayName ?? provider ?? "the agent";
  }
}
