// Cost of a session to the host while nobody uses it.
import { callApi, openSession } from "./api-client.ts";
import { smallAgent, withMeasuredHost } from "./measured-host.ts";

/** How much is measured. */
export interface IdleSize {
  /** Sessions before counting begins, so that code, pools and caches are there. */
  readonly warmUp: number;
  readonly sessions: number;
}

/** What each session has added. */
export interface IdleStats {
  readonly rssKiB: number;
  readonly heapKiB: number;
}

/** Sessions that are being opened at the same time. */
const atOnce = 8;

/** Sessions that have had a turn and rest: their agents are stopped. */
export function measureIdleSessions(folder: string, size: IdleSize): Promise<IdleStats> {
  return measureSessions(folder, size, "idle");
}

/** Sessions that have had a turn, and whose agents wait for the next one. The agents' own memory does not count. */
export function measureWaitingSessions(folder: string, size: IdleSize): Promise<IdleStats> {
  return measureSessions(folder, size, "waiting");
}

async function measureSessions(
  folder: string,
  { warmUp, sessions }: IdleSize,
  what: "idle" | "waiting",
): Promise<IdleStats> {
  const idleSeconds = what === "idle" ? 1 : 3600;
  return withMeasuredHost({ folder, agent: smallAgent, idleSeconds }, async (url, host) => {
    const measureAfter = async (count: number): Promise<NodeJS.MemoryUsage> => {
      await useSessions(url, folder, count);
      if (what === "idle") await host.ask("rest", undefined);
      return host.ask("measureMemory", undefined);
    };
    const before = await measureAfter(warmUp);
    const after = await measureAfter(sessions);
    const agents = await host.ask("countAgents", undefined);
    const expected = what === "idle" ? 0 : warmUp + sessions;
    if (agents !== expected) throw new Error(`${agents} agents run, not ${expected}`);
    return {
      rssKiB: (after.rss - before.rss) / 1024 / sessions,
      heapKiB: (after.heapUsed - before.heapUsed) / 1024 / sessions,
    };
  });
}

/** Opens so many sessions, and runs one turn in each. */
async function useSessions(url: string, folder: string, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const session = await openSession(url, folder);
      await (await callApi(url, "POST", `${session}/chat`, { message: "work" })).json();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
