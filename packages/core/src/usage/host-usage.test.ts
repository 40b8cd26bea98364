// Usage by day, from the turns of real sessions.
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N801] tokens and cost are summed up by day and agent, as the agent reported them", async () => {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 18 };
  const prompts = {
    spend: [
      update("usage_update", { used: 5, size: 100, cost: { amount: 0.25, currency: "USD" } }),
      { do: "answer", result: { stopReason: "end_turn", usage } },
    ],
    silent: [],
  } as const;
  const host = newHost({ agents: { mine: { prompts } } });
  const first = await host.open({ approvalPolicy: "approve-all" });
  const second = await host.open({ approvalPolicy: "approve-all" });
  for (const { key } of [first, second]) await host.host.chat(key, { message: "spend" }, ME);
  await host.host.chat(first.key, { message: "silent" }, ME);
  await host.host.closeSession(second.key, undefined, ME);
  const { days, costs, isComplete } = await host.host.usage.read(7);
  expect(days).toEqual([
    {
      day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
      agent_id: "mine",
      turns: 3,
      inputTokens: 20,
      outputTokens: 10,
      totalTokens: 36,
    },
  ]);
  expect(costs).toEqual([{ agent_id: "mine", currency: "USD", amount: 0.5, sessions: 2 }]);
  expect(isComplete).toBe(true);
});
