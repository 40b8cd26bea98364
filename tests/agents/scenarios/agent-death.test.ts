// Real agents that are killed in their first turn.
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentHost, makeGate } from "../agent-host.ts";
import { markPrompt } from "../model/script.ts";
import { realAgents } from "../real-agents.ts";

describe.each(realAgents)("$title", (agent) => {
  let host: AgentHost;

  beforeAll(async () => {
    host = await AgentHost.start(agent);
  });

  afterAll(() => host.close());

  it("[N736] killed in its first turn, it restarts for the next one, with its context or a report of the loss", async ({
    skip,
  }) => {
    skip(process.platform !== "linux", "processes are found in /proc");
    const gate = makeGate();
    const first = host.prompt("first", [{ text: ["begun ", { until: gate.opened }, "never"] }]);
    await first.untilText("begun ");
    host.killAgent();
    expect(await first.ended()).toBe("ACP_AGENT_EXITED");
    gate.open();
    const next = host.prompt("next", [{ text: ["Here again."] }]);
    expect(await next.ended()).toBe("end_turn");
    expect(next.text).toBe("Here again.");
    const losses = next.events.filter(({ type, data }) => type === "status" && data.tag === "context_lost");
    // Whether the agent had saved the turn depends on the moment of its death: the model sees whether it had.
    const messages = host.model.requests(next.prompt).at(0)?.messages ?? [];
    const isKnown = messages.some(({ text }) => text.includes(markPrompt(first.prompt)));
    expect(losses).toHaveLength(isKnown ? 0 : 1);
    expect(await host.viewer.turn(first.prompt)).toEqual({ end: "failed", text: "begun " });
  });
});
