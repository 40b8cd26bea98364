// The models in the list of agents: asked for once, kept across restarts, and never worth a long wait.
import { existsSync } from "node:fs";
import type { AgentInfo } from "@holdfast/protocol";
import { expect, test, vi } from "vitest";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { guardLeaks, isAlive } from "../testing/detector.ts";
import { type FakeHost, useFakeHosts } from "../testing/fake-host.ts";
import { ask, type Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const session = {
  configOptions: [
    {
      id: "model",
      name: "Model",
      category: "model",
      type: "select",
      currentValue: "small",
      options: ["small", "big"].map((value) => ({ value, name: `The ${value} one` })),
    },
  ],
};
const reported = [
  { id: "small", name: "The small one" },
  { id: "big", name: "The big one" },
];
const asking: Script = {
  session,
  newSession: [
    ask("permission", "session/request_permission", { toolCall: { toolCallId: "1" }, options: [] }),
    ask("file", "fs/write_text_file", { path: "/tmp/never", content: "x" }),
    { do: "answer", result: { sessionId: "s-1", ...session } },
  ],
};

async function read(host: FakeHost, includeModels = true, id = "mine"): Promise<AgentInfo> {
  const found = (await host.host.listAgents(includeModels)).find((agent) => agent.id === id);
  if (found === undefined) throw new Error(`${id} is not listed`);
  return found;
}

test("[N286] an agent that has reported no models is started once to ask, and nothing of it is left", async () => {
  const host = newHost({ agents: { mine: asking } });
  expect(await read(host, false)).not.toHaveProperty("models");
  expect(host.heard().processes).toEqual([]);
  const lists = await Promise.all([read(host), read(host)]);
  for (const { models, modelSource, source, modelError, error } of [...lists, await read(host)]) {
    expect({ models, modelSource, source, modelError, error }).toEqual({
      models: reported,
      modelSource: "provider_api",
      source: "provider_api",
      modelError: null,
      error: null,
    });
  }
  expect(host.heard().processes).toHaveLength(1);
  for (const name of ["permission", "file"]) expect((await host.heard().answer(name)).error).toBeDefined();
  const { pid, cwd } = host.heard().process;
  await vi.waitFor(() => expect([isAlive(pid), existsSync(cwd)]).toEqual([false, false]));
});

test("[N41] models outlive the host with their time, and those that a session reports replace them", async () => {
  const storage = new MemoryStorage();
  const first = newHost({
    agents: { mine: { session } },
    storage,
    now: () => new Date("2026-01-02T03:04:05Z"),
  });
  await (await first.open()).chat("hi").catch(() => undefined);
  await first.host.close();
  const second = newHost({ agents: { mine: { session } }, storage });
  expect(await read(second)).toMatchObject({
    models: reported,
    modelsReportedAt: "2026-01-02T03:04:05.000Z",
  });
  expect(second.heard().processes).toEqual([]);
});

test("[N286] an agent that is not installed, not signed in or not allowed is not started, and answers at once", async () => {
  const host = newHost({
    agents: { mine: {}, gone: {}, out: {} },
    agentConfig: {
      mine: { auth: { env: ["MINE_KEY"] } },
      gone: { command: "/no/such/program" },
    },
    config: { allowedAgents: ["mine", "gone"] },
  });
  expect(await read(host)).toMatchObject({
    models: [],
    modelSource: null,
    modelError: "mine is not signed in, so it was not asked for its models.",
  });
  expect(await read(host, true, "gone")).toMatchObject({ installed: false, models: [], modelError: null });
  expect(await read(host, true, "out")).toMatchObject({ installed: true, models: [], modelError: null });
  for (const name of ["mine", "gone", "out"]) expect(host.heard(name).processes).toEqual([]);
});

test("[N286] a failure is reported in the list, and the agent is not started again for the next one", async () => {
  const script: Script = { newSession: [{ do: "fail", code: -32000, message: "Authentication required" }] };
  const host = newHost({ agents: { mine: script } });
  for (const _time of [1, 2]) {
    expect(await read(host)).toMatchObject({
      models: [],
      modelError: expect.stringContaining("Authentication required") as string,
    });
  }
  expect(host.heard().processes).toHaveLength(1);
});

test("[N286] an agent that never answers holds the list back for the bound, and is ended", async () => {
  const host = newHost({
    agents: { mine: { newSession: [{ do: "hang" }], ignoresEndOfInput: true }, other: { session } },
    timeouts: { modelsMs: 1500 },
  });
  const startedAt = performance.now();
  const agents = await host.host.listAgents(true);
  expect(performance.now() - startedAt).toBeLessThan(8000);
  expect(agents.find(({ id }) => id === "other")?.models).toEqual(reported);
  expect(agents.find(({ id }) => id === "mine")).toMatchObject({
    models: [],
    modelError: expect.stringMatching(
      /did not report its models in time|has not reported its models yet|no answer/,
    ) as string,
  });
  const { pid } = host.heard().process;
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
});

test("[N286] a host that closes does not wait for an agent that is being asked", async () => {
  const host = newHost({ agents: { mine: { initialize: [{ do: "hang" }], ignoresEndOfInput: true } } });
  const listing = host.host.listAgents(true);
  await host.heard().heard("initialize");
  await host.host.close();
  expect(isAlive(host.heard().process.pid)).toBe(false);
  expect((await listing).find(({ id }) => id === "mine")?.modelError).toBeTypeOf("string");
  expect(existsSync(host.heard().process.cwd)).toBe(false);
});
