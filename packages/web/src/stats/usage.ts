// Usage as the host sums it up, arranged for the page.

export interface Usage {
  readonly since: string;
  readonly days: readonly UsageDay[];
  readonly costs: readonly UsageCost[];
  readonly isComplete: boolean;
}

interface UsageDay extends Tokens {
  readonly day: string;
  readonly agent_id: string;
}

interface UsageCost {
  readonly agent_id: string;
  readonly currency: string;
  readonly amount: number;
}

interface Tokens {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

const none: Tokens = { turns: 0, inputTokens: 0, outputTokens: 0, totalTokens: 0 };
const notReported = "—";
const dayMs = 24 * 60 * 60 * 1000;
const shownDays = 30;

/** Every day since the start, also those without a turn. */
export function byDay({ since, days }: Usage): (Tokens & { readonly day: string })[] {
  const startMs = Date.parse(since);
  return Array.from({ length: shownDays }, (_, index) => {
    const day = new Date(startMs + index * dayMs).toISOString().slice(0, 10);
    return { day, ...days.filter((each) => each.day === day).reduce(add, none) };
  });
}

export interface AgentUsage extends Tokens {
  readonly agent: string;
  /** In words; a dash where the agent reported none. */
  readonly cost: string;
}

/** The sums of each agent, the one that used most first. */
export function byAgent({ days, costs }: Usage): AgentUsage[] {
  const agents = [...new Set(days.map(({ agent_id: agent }) => agent))];
  return agents
    .map((agent) => {
      const own = costs.filter((cost) => cost.agent_id === agent);
      const cost = own.map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`).join(", ");
      const sums = days.filter((day) => day.agent_id === agent).reduce(add, none);
      return { agent, ...sums, cost: cost === "" ? notReported : cost };
    })
    .toSorted((one, other) => other.totalTokens - one.totalTokens || other.turns - one.turns);
}

function add(sum: Tokens, { turns, inputTokens, outputTokens, totalTokens }: Tokens): Tokens {
  return {
    turns: sum.turns + turns,
    inputTokens: sum.inputTokens + inputTokens,
    outputTokens: sum.outputTokens + outputTokens,
    totalTokens: sum.totalTokens + totalTokens,
  };
}

/** The tokens of an agent; a dash where it reported none (Z937). */
export function reportedTokens(count: number): string {
  return count === 0 ? notReported : tokenWords(count);
}

/** A count of tokens: `812`, `3.4 k`, `1.2 M`. */
export function tokenWords(count: number): string {
  if (count < 1000) return String(count);
  const [value, unit] = count < 1_000_000 ? [count / 1000, "k"] : [count / 1_000_000, "M"];
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`;
}
