// Work that an agent was asked to leave running keeps it from being stopped when it is idle.
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { OwnProcesses, describeProcesses } from "../agent/background-processes.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks, isAlive } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { useLoneAgents } from "../testing/lone-agent.ts";
import type { Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();
const newAgent = useLoneAgents();

const capabilities = { loadSession: true };
const config = { acp: { idleSeconds: 0.1 } };

test("[N285] an idle agent whose tree holds more than itself stays, and is stopped when the rest has ended", async () => {
  const script: Script = {
    capabilities,
    prompts: {
      serve: [
        { do: "spawn", line: "echo $$ > ../server.pid; exec sleep 298" },
        { do: "until", path: "server.pid" },
      ],
      stop: [
        { do: "spawn", line: "kill $(cat ../server.pid); touch ../stopped" },
        { do: "until", path: "stopped" },
      ],
    },
  };
  const host = newHost({ agents: { mine: script }, config });
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.chat("serve");
  await until(() => session.status.activity !== undefined);
  expect(session.status).toMatchObject({
    state: "ready",
    activity: expect.stringMatching(
      /^The idle agent is not stopped: it runs sleep 298 \(process \d+\)$/,
    ) as string,
  });
  const server = Number(/process (\d+)/.exec(session.status.activity ?? "")?.[1]);
  expect(isAlive(server)).toBe(true);
  await session.chat("stop");
  await until(() => session.status.state === "stale");
  expect(session.status).not.toHaveProperty("activity");
  expect(session.agent.processes).toHaveLength(1);
});

test("[N285] the chain that starts an agent, and what it starts with its session, is the agent itself", async () => {
  const host = newHost({
    agents: {
      mine: { capabilities, newSession: [{ do: "spawn", line: "exec sleep 297" }, answerOf("s-1")] },
    },
    config,
  });
  // As npx does: the program that the host starts is not the one that speaks.
  const program = fileURLToPath(new URL("../testing/fake-agent.mjs", import.meta.url));
  const args = ["-c", '"$@"; exit', "sh", process.execPath, program];
  const chain = newHost({
    agents: { mine: { capabilities } },
    agentConfig: { mine: { command: "/bin/sh", args } },
    config,
  });
  for (const each of [host, chain]) {
    const session = await each.open({ approvalPolicy: "approve-all" });
    await session.chat("hello");
    await until(() => session.status.state === "stale");
    expect(session.status).not.toHaveProperty("activity");
  }
});

test("[N285] a process that is started again, and MCP servers that are started late, are the agent itself", () => {
  const servers = [
    { name: "one", command: "npx", args: ["-y", "@mcp/one"], env: [] },
    { name: "two", command: "/opt/two", args: [], env: [] },
    { type: "http" as const, name: "three", url: "http://127.0.0.1/", headers: [] },
  ];
  const worker = { pid: 2, command: "agent --worker" };
  const own = OwnProcesses.find([{ pid: 1, command: "agent --acp" }, worker], servers);
  const started = [
    { ...worker, pid: 9 },
    { pid: 1, command: "agent (renamed)" },
    { pid: 10, command: "npm exec @mcp/one" },
    { pid: 11, command: "/bin/sh /opt/two" },
  ];
  const dev = { pid: 12, command: `npm run\u001B[31m ${"dev".repeat(40)}` };
  expect(own.findOthers([...started, dev])).toEqual([dev]);
  expect(describeProcesses([dev])).toBe(`npm run [31m ${"dev".repeat(40).slice(0, 67)}… (process 12)`);
  expect(describeProcesses([1, 2, 3, 4, 5].map((pid) => ({ pid, command: "a" })))).toBe(
    "a (process 1), a (process 2), a (process 3) and 2 more",
  );
});

test("[N285] a model that needs a restart is rejected while something runs in the background", async () => {
  const lone = newAgent({
    scripts: [{ capabilities, prompts: { "*": [{ do: "spawn", line: "exec sleep 294" }] } }],
    entry: { model: [{ by: "flag", flag: "--model" }] },
  });
  await lone.prompt("serve");
  await vi.waitFor(async () =>
    expect(await lone.agent.listBackground()).toMatchObject([{ command: "sleep 294" }]),
  );
  const message = expect.stringContaining(
    "would end what it runs in the background: sleep 294 (process",
  ) as string;
  await expect(lone.change({ model: "big" })).rejects.toMatchObject({ code: "ACP_INVALID_OPTION", message });
});

function answerOf(sessionId: string): { readonly do: "answer"; readonly result: object } {
  return { do: "answer", result: { sessionId } };
}
