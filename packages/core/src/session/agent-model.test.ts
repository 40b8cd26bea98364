// The model of a session: by flag, variable, option or the older method, with its effect made sure of.
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { type LoneAgent, useLoneAgents } from "../testing/lone-agent.ts";
import { answer, type Script } from "../testing/script.ts";

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
const legacy = (currentModelId: string): object => ({
  currentModelId,
  availableModels: [{ modelId: "small", name: "The small one" }, { modelId: "big" }],
});
const flag = { by: "flag", flag: "--model" } as const;
const variable = { by: "env", name: "FAKE_MODEL" } as const;

/** The values that were set, by method. */
function chosen({ heard }: LoneAgent): string[] {
  return heard.messages.flatMap(({ method, params }) =>
    method.startsWith("session/set_") ? [`${method} ${String(params["value"] ?? params["modelId"])}`] : [],
  );
}

test("[N37] a model is given at the start where the catalogue says so first, by flag or by variable", async () => {
  const flagged = newAgent({
    entry: { model: [flag, { by: "setModel" }] },
    runtimeOptions: { model: "big" },
  });
  await flagged.prompt("hello");
  expect(flagged.heard.process.args).toEqual(["--model", "big"]);
  const varied = newAgent({ entry: { model: [variable] }, runtimeOptions: { model: "big" } });
  await varied.prompt("hello");
  expect(varied.heard.process.env["FAKE_MODEL"]).toBe("big");
  expect(varied.warnings).toEqual(["Mine was started with the model 'big' and does not say which it uses"]);
});

test("[N37] no other option of the program can be given in the place of a model", async () => {
  const lone = newAgent({ entry: { model: [flag] }, runtimeOptions: { model: "--yolo" } });
  await expect(lone.prompt("hello")).rejects.toMatchObject({ code: "ACP_INVALID_OPTION" });
  expect(lone.heard.processes).toEqual([]);
});

test("[N37] a model that is only second best at the start is not given then, unless the agent offers none", async () => {
  const ways = [{ by: "configOption", id: "llm" }, variable] as const;
  const offers = newAgent({
    scripts: [{ session: { configOptions: [option("small")] } }],
    entry: { model: [...ways] },
    runtimeOptions: { model: "big" },
  });
  await offers.prompt("hello");
  expect(offers.heard.process.env).not.toHaveProperty("FAKE_MODEL");
  expect(chosen(offers)).toEqual(["session/set_config_option big"]);
  const silent = newAgent({
    scripts: [{ capabilities }],
    entry: { model: [...ways] },
    runtimeOptions: { model: "big" },
  });
  await silent.agent.connect();
  await silent.prompt("hello");
  expect(silent.heard.processes.map(({ env }) => env["FAKE_MODEL"])).toEqual([undefined, "big"]);
});

test("[N38] an option of the category model sets the model, whatever it is called and the catalogue says", async () => {
  const lone = newAgent({
    scripts: [{ session: { configOptions: [option("small")] } }],
    runtimeOptions: { model: "big" },
  });
  await lone.prompt("hello");
  expect(chosen(lone)).toEqual(["session/set_config_option big"]);
  expect(lone.state.configOptions).toMatchObject([{ id: "llm", currentValue: "big" }]);
});

test("[N38] an agent that tells its models in the older way is asked in the older way", async () => {
  const lone = newAgent({
    scripts: [{ session: { models: legacy("small") } }],
    runtimeOptions: { model: "big" },
  });
  await lone.prompt("hello");
  expect(chosen(lone)).toEqual(["session/set_model big"]);
  expect(lone.state.configOptions).toMatchObject([{ category: "model", currentValue: "big" }]);
  await lone.change({ model: "small" });
  expect(chosen(lone)).toEqual(["session/set_model big", "session/set_model small"]);
});

test("[N38] one that has both is asked by its option, and one that already has the model is not asked", async () => {
  const session = { models: legacy("big"), configOptions: [option("big")] };
  const lone = newAgent({
    scripts: [{ session }],
    entry: { model: [flag] },
    runtimeOptions: { model: "big" },
  });
  await lone.prompt("hello");
  expect(chosen(lone)).toEqual([]);
  expect(lone.warnings).toEqual([]);
  expect(lone.state.configOptions).toHaveLength(1);
});

test("[N39] a model that the agent does not offer fails the start, and its offers are named", async () => {
  for (const session of [{ configOptions: [option("small")] }, { models: legacy("small") }]) {
    const lone = newAgent({
      scripts: [{ session }],
      entry: { model: [flag] },
      runtimeOptions: { model: "huge" },
    });
    await expect(lone.prompt("hello")).rejects.toMatchObject({
      code: "ACP_INVALID_OPTION",
      message: "model cannot be 'huge'. It can be: small, big.",
    });
  }
});

test("[N39] a model that the agent takes and does not use fails the start too", async () => {
  const script: Script = {
    session: { configOptions: [option("small")] },
    set: [answer({ configOptions: [option("small")] })],
  };
  const lone = newAgent({ scripts: [script], runtimeOptions: { model: "big" } });
  await expect(lone.prompt("hello")).rejects.toThrow("model: Mine stays with 'small' instead of 'big'.");
});

test("[N39] what the agent itself refuses is ACP_INVALID_OPTION with its words", async () => {
  const script: Script = {
    session: { configOptions: [option("small")] },
    set: [{ do: "fail", code: -32_602, message: "Not in your plan" }],
  };
  const lone = newAgent({ scripts: [script] });
  await lone.prompt("hello");
  await expect(lone.change({ model: "big" })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    message: "model: the agent refuses 'big': Not in your plan",
  });
});

test("[N39] where an agent offers no choice at all, the wish is kept, has no effect, and that is told", async () => {
  const lone = newAgent({ runtimeOptions: { model: "big" } });
  await lone.prompt("hello");
  expect(lone.warnings).toEqual(["Mine offers no choice of models: 'big' has no effect"]);
});

test("[N40] a model can be changed between turns, at once where the agent offers it", async () => {
  const lone = newAgent({ scripts: [{ session: { configOptions: [option("small")] } }] });
  await lone.prompt("hello");
  await lone.change({ model: "big" });
  expect(lone.state.configOptions).toMatchObject([{ currentValue: "big" }]);
  await expect(lone.change({ model: "huge" })).rejects.toMatchObject({ code: "ACP_INVALID_OPTION" });
  expect(lone.state.runtimeOptions.model).toBe("big");
  await lone.prompt("again");
  expect(lone.heard.processes).toHaveLength(1);
});

test("[N40] an agent that takes its model only at the start is started anew before the next turn, with its memory", async () => {
  const lone = newAgent({
    scripts: [{ capabilities }],
    entry: { model: [flag] },
    runtimeOptions: { model: "small" },
  });
  await lone.prompt("hello");
  const { backendId } = lone.state;
  await lone.change({ model: "small" });
  await lone.change({ model: "big" });
  expect(lone.heard.processes).toHaveLength(1);
  lone.actions.length = 0;
  await lone.prompt("again");
  expect(lone.heard.processes.map(({ args }) => args[1])).toEqual(["small", "big"]);
  expect(lone.told).toEqual(["session/stale", "session/resuming", "session/ready"]);
  expect(lone.heard.methods.slice(-2)).toEqual(["session/load", "session/prompt"]);
  expect(lone.state).toMatchObject({ backendId });
  expect(lone.state.lastError).toBeUndefined();
  await lone.prompt("and again");
  expect(lone.heard.processes).toHaveLength(2);
});

test("[N40] one that would lose its memory over it keeps its model, and the error says what to do", async () => {
  const lone = newAgent({ entry: { model: [flag] } });
  await lone.prompt("hello");
  const message = expect.stringContaining("Open a new session with 'big'") as string;
  await expect(lone.change({ model: "big" })).rejects.toMatchObject({ code: "ACP_INVALID_OPTION", message });
  await lone.prompt("again");
  expect(lone.heard.processes).toHaveLength(1);
});

test("[N40] one that is started anew before anything was said loses nothing, also without a memory", async () => {
  const lone = newAgent({
    entry: { model: [{ by: "configOption", id: "llm" }, variable] },
    runtimeOptions: { model: "big" },
  });
  await lone.agent.connect();
  expect(await lone.prompt("hello", { onContextLost: "fail" })).toBe("end_turn");
  expect(lone.heard.process.env["FAKE_MODEL"]).toBe("big");
  expect(lone.state.contextLoss).toBeUndefined();
});

test("[N41] the models of an agent are those that one of its sessions told last, and none before", async () => {
  const lone = newAgent({ scripts: [{ session: { configOptions: [option("small")] } }] });
  const { models } = lone.tools.installations;
  expect(models.list("mine")).toEqual({ models: [], source: null, error: null });
  await lone.prompt("hello");
  expect(models.list("mine")).toEqual({
    models: [
      { id: "small", name: "The small one" },
      { id: "big", name: "The big one" },
    ],
    source: "provider_api",
    error: null,
  });
  expect(models.list("other").models).toEqual([]);
});
