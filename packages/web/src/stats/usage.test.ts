// Usage, arranged for the page.
import { expect, it } from "vitest";
import { byAgent, byDay, reportedTokens, tokenWords, type Usage } from "./usage.ts";

const tokens = { turns: 2, inputTokens: 100, outputTokens: 50, totalTokens: 150 };
const usage: Usage = {
  since: "2026-02-20T00:00:00.000Z",
  days: [
    { day: "2026-02-20", agent_id: "codex", ...tokens },
    { day: "2026-02-20", agent_id: "shell", ...tokens, totalTokens: 0 },
    { day: "2026-03-02", agent_id: "codex", ...tokens },
  ],
  costs: [{ agent_id: "codex", currency: "USD", amount: 1.234 }],
  isComplete: true,
};

it("[Z863] has every day, with the sums of all agents", () => {
  const days = byDay(usage);
  expect(days).toHaveLength(30);
  expect(days.at(-1)?.day).toBe("2026-03-21");
  expect(days[0]).toEqual({
    day: "2026-02-20",
    turns: 4,
    inputTokens: 200,
    outputTokens: 100,
    totalTokens: 150,
  });
  expect(days[1]?.turns).toBe(0);
});

it("[Z863] has the sums and the cost of each agent, and says where none was reported", () => {
  expect(byAgent(usage).map(({ agent, totalTokens, cost }) => [agent, totalTokens, cost])).toEqual([
    ["codex", 300, "1.23 USD"],
    ["shell", 0, "—"],
  ]);
  expect([999, 3400, 150_000, 1_200_000].map(tokenWords)).toEqual(["999", "3.4 k", "150 k", "1.2 M"]);
});

it("[Z937] shows a dash for tokens that an agent did not report", () => {
  expect([0, 7, 3400].map(reportedTokens)).toEqual(["—", "7", "3.4 k"]);
});
