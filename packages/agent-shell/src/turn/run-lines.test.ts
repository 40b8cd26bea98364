// Several lines: the plan, the order, and what ends the row.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
let client: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start();
});
beforeEach(async () => {
  client.permission = () => ({ outcome: "selected", optionId: "run-it" });
  sessionId = await client.open(folder);
});

const plans = (): string[] => client.log.filter((entry) => entry.startsWith("plan"));

describe("several lines", () => {
  it("[S7, S341] run one after the other under a plan; one that fails is marked and does not stop the rest", async () => {
    client.log.length = 0;
    await client.prompt(sessionId, "echo one > order\n\nfalse\necho two >> order; cat order");
    expect(plans()).toEqual([
      "plan pending pending pending",
      "plan in_progress pending pending",
      "plan completed pending pending",
      "plan completed in_progress pending",
      "plan completed completed pending",
      "plan completed completed in_progress",
      "plan completed completed completed",
    ]);
    expect(client.log.indexOf("agent_thought_chunk")).toBeLessThan(
      client.log.indexOf("plan pending pending pending"),
    );
    expect(client.calls(sessionId).map((call) => call.status)).toEqual(["completed", "failed", "completed"]);
    expect(client.text(sessionId)).toContain("```\none\ntwo\n```");
    const plan = client.of(sessionId).findLast((update) => update.sessionUpdate === "plan");
    expect(plan).toMatchObject({
      entries: [
        { content: "echo one > order" },
        { content: "false", _meta: { holdfast: { outcome: "failed" } } },
        { content: "echo two >> order; cat order" },
      ],
    });
    expect(JSON.stringify(plan).match(/_meta/g)).toHaveLength(1);
  });

  it("[S7] a single line has no plan", async () => {
    client.log.length = 0;
    await client.prompt(sessionId, "true\n# that was all\n");
    expect(plans()).toEqual([]);
  });

  it("[S9] a rejected line is a failed tool call, and the lines after it are skipped", async () => {
    client.permission = ({ toolCall }) => ({
      outcome: "selected",
      optionId: toolCall.title === "echo two" ? "leave-it" : "run-it",
    });
    expect(await client.prompt(sessionId, "echo one\necho two\necho three\necho four")).toEqual({
      stopReason: "end_turn",
    });
    expect(client.calls(sessionId).map(({ title, status }) => [title, status])).toEqual([
      ["echo one", "completed"],
      ["echo two", "failed"],
    ]);
    expect(client.text(sessionId)).toContain("`echo two` was not run: it was rejected.");
    expect(client.text(sessionId)).toContain("Skipped: `echo three`, `echo four`.");
    expect(client.of(sessionId).findLast((update) => update.sessionUpdate === "plan")).toMatchObject({
      entries: [{ status: "completed" }, { status: "pending" }, { status: "pending" }, { status: "pending" }],
    });
  });
});
