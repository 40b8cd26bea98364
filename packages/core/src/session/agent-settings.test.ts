// The settings of a session, model, mode and options: checked as a whole, and set again for a process that comes back.
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { type LoneAgent, useLoneAgents } from "../testing/lone-agent.ts";
import type { Script } from "../testing/script.ts";

guardLeaks();
const newAgent = useLoneAgents();

const capabilities = { loadSession: true };
const option = (currentValue: string, fields: object = {}): object => ({
  id: "llm",
  name: "Model",
  category: "model",
  type: "select",
  currentValue,
  options: [
    { name: "Group", options: ["small", "big"].map((value) => ({ value, name: `The ${value} one` })) },
  ],
  ...fields,
});
/** The values that were set, by method. */
function chosen({ heard }: LoneAgent): string[] {
  return heard.messages.flatMap(({ method, params }) =>
    method.startsWith("session/set_") ? [`${method} ${String(params["value"] ?? params["modelId"])}`] : [],
  );
}

test("[N42] settings hold for the restarted process, and are not set where they already hold", async () => {
  const effort = { id: "effort", name: "Effort", type: "select", currentValue: "low" };
  const configOptions = [
    option("small"),
    {
      ...effort,
      options: [
        { value: "low", name: "Low" },
        { value: "high", name: "High" },
      ],
    },
    { id: "fast", name: "Fast", type: "boolean", currentValue: false },
    {
      ...option("ask", { id: "mode", category: "mode" }),
      options: [
        { value: "ask", name: "A" },
        { value: "code", name: "C" },
      ],
    },
  ];
  const lone = newAgent({ scripts: [{ capabilities, session: { configOptions } }] });
  await lone.prompt("hello");
  await lone.change({ model: "big", runtimeMode: "code", extras: { effort: "high", fast: "true" } });
  await lone.agent.evict();
  const before = chosen(lone);
  expect(before.map((line) => line.split(" ")[1])).toEqual(["big", "code", "high", "true"]);
  await lone.prompt("again");
  expect(chosen(lone)).toEqual([...before, ...before]);
  expect(lone.state.configOptions.map(({ currentValue }) => currentValue)).toEqual([
    "big",
    "high",
    true,
    "code",
  ]);
});

test("[N42] an option that a restarted agent no longer offers is reported as an error and fails no turn", async () => {
  const before: Script = {
    capabilities,
    session: {
      configOptions: [option("small"), { id: "fast", name: "Fast", type: "boolean", currentValue: false }],
      modes: {
        currentModeId: "ask",
        availableModes: [
          { id: "ask", name: "A" },
          { id: "code", name: "C" },
        ],
      },
    },
  };
  const after: Script = {
    capabilities,
    session: {
      configOptions: [option("small", { options: [{ value: "small", name: "S" }] })],
      modes: { currentModeId: "ask", availableModes: [{ id: "ask", name: "A" }] },
    },
  };
  const lone = newAgent({ scripts: [before, after] });
  await lone.prompt("hello");
  await lone.change({ model: "big", runtimeMode: "code", extras: { fast: "true" } });
  process.kill(lone.heard.process.pid, "SIGKILL");
  await until(() => lone.state.lifecycle.status === "stale");
  lone.actions.length = 0;
  expect(await lone.prompt("again")).toBe("end_turn");
  const errors = lone.actions.flatMap((action) =>
    action.type === "session/errorReported" ? [action.error] : [],
  );
  expect(errors).toEqual([
    { code: "ACP_INVALID_OPTION", message: "model cannot be 'big'. It can be: small." },
    { code: "ACP_INVALID_OPTION", message: "runtimeMode: this agent has no mode 'code'. It has: ask." },
    { code: "ACP_INVALID_OPTION", message: "extras: this agent has no option 'fast'. It has: llm." },
  ]);
  expect(lone.state.lifecycle.status).toBe("ready");
});

test("[N42] settings are checked as a whole before one of them is set, also while no agent is there", async () => {
  const lone = newAgent({ scripts: [{ capabilities, session: { configOptions: [option("small")] } }] });
  await lone.prompt("hello");
  const wrong = { model: "big", extras: { none: "x" } };
  await expect(lone.change(wrong)).rejects.toMatchObject({ code: "ACP_INVALID_OPTION" });
  expect(chosen(lone)).toEqual([]);
  await lone.agent.evict();
  await expect(lone.change({ model: "huge" })).rejects.toMatchObject({ code: "ACP_INVALID_OPTION" });
  await lone.change({ model: "big" });
  await lone.prompt("again");
  expect(chosen(lone)).toEqual(["session/set_config_option big"]);
});

test("[N42] an option that is on or off takes true and false, and nothing else", async () => {
  const configOptions = [{ id: "fast", name: "Fast", type: "boolean", currentValue: false }];
  const lone = newAgent({ scripts: [{ session: { configOptions } }] });
  await lone.prompt("hello");
  await lone.change({ extras: { fast: "true" } });
  expect(lone.heard.messages.at(-1)?.params).toMatchObject({ type: "boolean", value: true });
  await expect(lone.change({ extras: { fast: "yes" } })).rejects.toThrow(
    "fast cannot be 'yes'. It can be: true, false.",
  );
});

test("[N42] a setting that the agent dies over, or a session that is closed meanwhile, has its own error", async () => {
  const configOptions = [{ id: "fast", name: "Fast", type: "boolean", currentValue: false }];
  const hangs: Script = { capabilities, session: { configOptions }, set: [{ do: "hang" }] };
  const dies: Script = { capabilities, session: { configOptions }, set: [{ do: "exit", code: 1 }] };
  const lone = newAgent({ scripts: [dies, hangs], timeouts: { endOfInputMs: 50 } });
  await lone.prompt("hello");
  const failure = { code: "ACP_AGENT_EXITED", status: 502 };
  await expect(lone.change({ extras: { fast: "true" } })).rejects.toMatchObject(failure);
  await lone.prompt("again");
  const changing = lone.change({ extras: { fast: "true" } }).catch((error: unknown) => error);
  await lone.heard.heard("session/set_config_option", 2);
  await lone.agent.close();
  expect(await changing).toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
  await expect(lone.agent.moveTo(lone.folder)).rejects.toMatchObject({ code: "ACP_SESSION_NOT_FOUND" });
});
