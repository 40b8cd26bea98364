// Real agents across restarts of the host: between turns, and killed in the middle of one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentHost, makeGate } from "../agent-host.ts";
import { needsKeeper } from "../keeper.ts";
import { realAgents } from "../real-agents.ts";

describe.each(realAgents)("$title", (agent) => {
  let host: AgentHost;

  beforeAll(async () => {
    host = await AgentHost.start(agent);
  });

  afterAll(() => host.close());

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "[N734] after a restart by %s between turns, the agent has its context and nothing is published twice",
    async (signal) => {
      const before = host.prompt("before", [{ text: ["The word is kelp."] }]);
      expect(await before.ended()).toBe("end_turn");
      await host.restart(signal);
      const after = host.prompt("after", [{ text: ["It is kelp."] }]);
      expect(await after.ended()).toBe("end_turn");
      expect(after.text).toBe("It is kelp.");
      expect(
        after.events.filter(({ type, data }) => type === "status" && data.tag === "context_lost"),
      ).toEqual([]);
      const [request] = host.model.requests(after.prompt);
      const texts = (role: string): string =>
        (request?.messages ?? [])
          .filter((each) => each.role === role)
          .map(({ text }) => text)
          .join("\n");
      expect(texts("user")).toContain(before.prompt);
      expect(texts("assistant")).toContain("The word is kelp.");
      expect(await host.viewer.turn(before.prompt)).toEqual({ end: "end_turn", text: "The word is kelp." });
      expect(await host.viewer.turn(after.prompt)).toEqual({ end: "end_turn", text: "It is kelp." });
    },
  );

  it("[N735] killed while text streams, the turn ends with its whole text, once", async (context) => {
    needsKeeper(context);
    const gate = makeGate();
    const words = Array.from({ length: 200 }, (_, index) => `word${index} `);
    const slow = words.flatMap((word) => [word, { pauseMs: 20 }]);
    const turn = host.prompt("killed-text", [{ text: [...slow, { until: gate.opened }, "end."] }]);
    await turn.untilText("word20 ");
    await host.kill();
    await host.restart("SIGKILL");
    gate.open();
    expect(await turn.ended()).toBe("end_turn");
    expect(turn.text).toBe(`${words.join("")}end.`);
    expect(await host.viewer.turn(turn.prompt)).toEqual({ end: "end_turn", text: `${words.join("")}end.` });
    expect(host.model.requests(turn.prompt)).toHaveLength(1);
  });

  it("[N735] killed while a permission waits, it is still there and works", async (context) => {
    needsKeeper(context);
    const line = "echo ran >> killed-permission.txt";
    const turn = host.prompt("killed-permission", [{ call: { tool: "command", line } }, { text: ["Done."] }]);
    const { requestId, options } = await turn.permission();
    await host.restart("SIGKILL");
    const open = async (): Promise<string[]> =>
      (await host.sdk.approvals.list()).map((approval) => approval.requestId);
    await expect.poll(open).toEqual([requestId]);
    const option = options.find(({ kind }) => kind === "allow_once");
    expect(await host.decide(requestId, option?.optionId ?? "")).toMatchObject({ resolved: true });
    expect(await turn.ended()).toBe("end_turn");
    expect(turn.text).toBe("Done.");
    expect(host.read("killed-permission.txt")).toBe("ran\n");
    expect(turn.events.filter(({ type }) => type === "permission_request")).toHaveLength(1);
    expect(await host.viewer.turn(turn.prompt)).toEqual({ end: "end_turn", text: "Done." });
  });

  it("[N735] killed while a command runs, it runs once and the agent gets all of its output", async (context) => {
    needsKeeper(context);
    const line =
      "echo ran >> killed-command.txt; echo first; until [ -e finish ]; do sleep 0.1; done; echo second";
    const turn = host.prompt("killed-command", [{ call: { tool: "command", line } }, { text: ["Done."] }]);
    const { requestId, options } = await turn.permission();
    await host.decide(requestId, options.find(({ kind }) => kind === "allow_once")?.optionId ?? "");
    await expect.poll(() => host.read("killed-command.txt")).toBe("ran\n");
    await host.restart("SIGKILL");
    host.write("finish", "");
    expect(await turn.ended()).toBe("end_turn");
    expect(turn.text).toBe("Done.");
    expect(host.read("killed-command.txt")).toBe("ran\n");
    expect(await host.viewer.turn(turn.prompt)).toEqual({ end: "end_turn", text: "Done." });
    const requests = host.model.requests(turn.prompt);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.at(-1)?.text).toContain("first\nsecond");
  });
});
