// Usage that agents reported, by day: read from the turns of the sessions that are kept, at bounded cost.
import { setImmediate as nextTick } from "node:timers/promises";
import { type ChatState, defaultChatUri, type SessionSummary, type Turn } from "@holdfast/ahp";
import type { Usage } from "@holdfast/protocol";
import type { Hub } from "../channel/hub.ts";
import type { Storage } from "../ports.ts";

export interface HostUsageDeps {
  readonly hub: Pick<Hub, "has" | "state">;
  readonly storage: Pick<Storage, "listSessions" | "loadChannel" | "readTurns">;
  readonly now: () => Date;
}

const defaultDays = 30;
/** Sessions and turns of each that are read, the newest. */
const maxSessions = 500;
const maxTurns = 500;
const dayMs = 24 * 60 * 60 * 1000;

type UsageDay = Usage["days"][number];
type UsageCost = Usage["costs"][number];

/** The usage of all sessions of a host. */
export class HostUsage {
  readonly #deps: HostUsageDeps;

  constructor(deps: HostUsageDeps) {
    this.#deps = deps;
  }

  /** Sums up the last days, today included. */
  async read(days: number = defaultDays): Promise<Usage> {
    const { now } = this.#deps;
    const since = `${new Date(now().getTime() - (days - 1) * dayMs).toISOString().slice(0, 10)}T00:00:00.000Z`;
    const sum = new UsageSum(since);
    const { sessions, isAll } = this.#sessionsSince(since);
    let isComplete = isAll;
    for (const summary of sessions) {
      const chat = this.#chatOf(summary);
      if (chat !== undefined) isComplete = this.#addChat(sum, summary, chat) && isComplete;
      // A host with many sessions serves others meanwhile.
      await nextTick();
    }
    return { since, ...sum.result(), isComplete };
  }

  #sessionsSince(since: string): { readonly sessions: readonly SessionSummary[]; readonly isAll: boolean } {
    const { sessions, nextCursor } = this.#deps.storage.listSessions({ limit: maxSessions });
    const recent = sessions
      .map(({ summary }) => summary)
      .filter(({ lastActivityAt }) => lastActivityAt >= since);
    return { sessions: recent, isAll: nextCursor === undefined || recent.length < sessions.length };
  }

  #chatOf({ resource }: SessionSummary): ChatState | undefined {
    const { hub, storage } = this.#deps;
    const uri = defaultChatUri(resource);
    if (hub.has(uri)) return hub.state(uri, "chat");
    const kept = storage.loadChannel(uri);
    return kept?.kind === "chat" ? kept.state : undefined;
  }

  /** Returns whether all turns since then were read. */
  #addChat(sum: UsageSum, { provider }: SessionSummary, chat: ChatState): boolean {
    for (const turn of chat.turns) sum.addTurn(provider, turn);
    const { cost } = chat.contextUsage ?? {};
    if (cost !== undefined) sum.addCost(provider, cost);
    const [first] = chat.turns;
    if (chat.turnsNextCursor === undefined || first === undefined || first.startedAt < sum.since) return true;
    const older = this.#deps.storage.readTurns(chat.resource, first.id, maxTurns);
    for (const turn of older?.turns ?? []) sum.addTurn(provider, turn);
    const oldest = older?.turns[0];
    return older?.hasMore !== true || oldest === undefined || oldest.startedAt < sum.since;
  }
}

class UsageSum {
  readonly since: string;
  readonly #days = new Map<string, UsageDay>();
  readonly #costs = new Map<string, UsageCost>();

  constructor(since: string) {
    this.since = since;
  }

  addTurn(agent: string, { startedAt, usage = {} }: Pick<Turn, "startedAt" | "usage">): void {
    if (startedAt < this.since) return;
    const day = startedAt.slice(0, 10);
    const known = this.#days.get(`${day} ${agent}`);
    const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
    const total = usage.totalTokens ?? inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
    this.#days.set(`${day} ${agent}`, {
      day,
      agent_id: agent,
      turns: (known?.turns ?? 0) + 1,
      inputTokens: (known?.inputTokens ?? 0) + inputTokens,
      outputTokens: (known?.outputTokens ?? 0) + outputTokens,
      totalTokens: (known?.totalTokens ?? 0) + total,
    });
  }

  addCost(agent: string, { amount, currency }: { readonly amount: number; readonly currency: string }): void {
    const known = this.#costs.get(`${agent} ${currency}`);
    this.#costs.set(`${agent} ${currency}`, {
      agent_id: agent,
      currency,
      amount: (known?.amount ?? 0) + amount,
      sessions: (known?.sessions ?? 0) + 1,
    });
  }

  result(): Pick<Usage, "days" | "costs"> {
    const days = [...this.#days.values()];
    return {
      days: days.toSorted((one, other) =>
        `${one.day} ${one.agent_id}`.localeCompare(`${other.day} ${other.agent_id}`, "en"),
      ),
      costs: [...this.#costs.values()],
    };
  }
}
