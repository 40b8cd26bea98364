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

test("[N37] a model that is offered only once the agent was started with it is had by starting it again", async () => {
  const later = option("small", {
    options: ["small", "big", "huge"].map((value) => ({ value, name: value })),
  });
  const lone = newAgent({
    scripts: [
      { capabilities, session: { configOptions: [option("small")] } },
      { capabilities, session: { configOptions: [later] } },
    ],
    entry: { model: [{ by: "configOption", id: "llm" }, variable] },
    runtimeOptions: { model: "huge" },
  });
  await lone.prompt("hello");
  expect(lone.heard.processes.map(({ env }) => env["FAKE_MODEL"])).toEqual([undefined, "huge"]);
  expect(chosen(lone)).toEqual(["session/set_config_option huge"]);
  await lone.agent.evict();
  await lone.prompt("again");
  expect(lone.heard.processes.map(({ env }) => env["FAKE_MODEL"])).toEqual([undefined, "huge", "huge"]);
});

test("[N39] one that is not offered even then fails the start with the offers", async () => {
  const lone = newAgent({
    scripts: [{ capabilities, session: { configOptions: [option("small")] } }],
    entry: { model: [{ by: "configOption", id: "llm" }, variable] },
    runtimeOptions: { model: "huge" },
  });
  await expect(lone.prompt("hello")).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    message: "model cannot be 'huge'. It can be: small, big.",
  });
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

test("[N38] an agent that reports its models in the older way is asked in the older way", async () => {
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
  await expect(lone.prompt("hello")).rejects.toThrow("model: Mine still uses 'small' instead of 'big'.");
});

test("[N39] a model that the agent itself rejects is ACP_INVALID_OPTION with its message", async () => {
  const script: Script = {
    session: { configOptions: [option("small")] },
    set: [{ do: "fail", code: -32_602, message: "Not in your plan" }],
  };
  const lone = newAgent({ scripts: [script] });
  await lone.prompt("hello");
  await expect(lone.change({ model: "big" })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    message: "model: the agent rejects 'big': Not in your plan",
  });
});

test("[N39] where an agent offers no choice at all, a model is rejected, at the start and later", async () => {
  const message = "model: Mine offers no choice of models, so 'big' would have no effect.";
  const lone = newAgent({ runtimeOptions: { model: "big" } });
  await expect(lone.prompt("hello")).rejects.toMatchObject({ code: "ACP_INVALID_OPTION", message });
  const plain = newAgent();
  await plain.prompt("hello");
  await expect(plain.change({ model: "big" })).rejects.toMatchObject({ code: "ACP_INVALID_OPTION", message });
});

test("[N39] a model that only the configuration's defaults name harms no agent without models", async () => {
  const lone = newAgent({ runtimeOptions: { model: "big" }, deps: { defaultModel: "big" } });
  await lone.prompt("hello");
  expect(lone.warnings).toEqual(["Mine offers no choice of models: the default 'big' has no effect"]);
});

test("[N39] a model that the older method takes and does not use is rejected where the response says so", async () => {
  const script: Script = {
    session: { models: legacy("small") },
    set: [answer({ models: legacy("small") })],
  };
  const lone = newAgent({ scripts: [script], runtimeOptions: { model: "big" } });
  await expect(lone.prompt("hello")).rejects.toThrow("model: Mine still uses 'small' instead of 'big'.");
});

const modelName = String.raw`^(?:\$runtime\|[^|]*\|)?(.+?)(?:\([a-z][a-z-]*\))?$`;
const offer = (currentValue: string, ...ids: string[]): object =>
  option(currentValue, { options: ids.map((value) => ({ value, name: value })) });

test("[N281] a flag gets the name of an offered id, also after a restart, and the id in force is read back", async () => {
  const offered = [offer("big(openai)", "small(openai)", "big(openai)")];
  const lone = newAgent({
    scripts: [{ capabilities, session: { configOptions: offered } }],
    entry: { model: [flag], modelName },
    runtimeOptions: { model: "big(openai)" },
  });
  await lone.prompt("hello");
  await lone.agent.evict();
  await lone.prompt("again");
  expect(lone.heard.processes.map(({ args }) => args)).toEqual([
    ["--model", "big"],
    ["--model", "big"],
  ]);
  expect(chosen(lone)).toEqual([]);
});

test.each([
  ["big", "$runtime|openai|big(openai)", ["$runtime|openai|big(openai)"], []],
  ["big", "big(openai)", ["big(anthropic)", "big(openai)"], []],
  ["big(anthropic)", "big(openai)", ["big(anthropic)", "big(openai)"], ["big(anthropic)"]],
  ["big", "other(openai)", ["other(openai)", "big(anthropic)"], ["big(anthropic)"]],
])("[N281] the requested model %j with %j in force is found", async (model, current, ids, sets) => {
  const lone = newAgent({
    scripts: [{ session: { configOptions: [offer(current, ...ids)] } }],
    entry: { model: [flag], modelName },
    runtimeOptions: { model },
  });
  await lone.prompt("hello");
  expect(lone.heard.process.args).toEqual(["--model", "big"]);
  expect(chosen(lone)).toEqual(sets.map((id) => `session/set_config_option ${id}`));
});

test("[N281] a name that the agent runs without offering it is rejected with its offers", async () => {
  const lone = newAgent({
    scripts: [{ session: { configOptions: [offer("bogus(openai)", "small(openai)")] } }],
    entry: { model: [flag], modelName },
    runtimeOptions: { model: "bogus" },
  });
  await expect(lone.prompt("hello")).rejects.toThrow("model cannot be 'bogus'. It can be: small(openai).");
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

test("[N40] an agent that takes its model only at the start is restarted before the next turn, with its context", async () => {
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
  expect(lone.actionTypes).toEqual(["session/stale", "session/resuming", "session/ready"]);
  expect(lone.heard.methods.slice(-2)).toEqual(["session/load", "session/prompt"]);
  expect(lone.state).toMatchObject({ backendId });
  expect(lone.state.lastError).toBeUndefined();
  await lone.prompt("and again");
  expect(lone.heard.processes).toHaveLength(2);
});

test("[N40] one that would lose its context over it keeps its model, and the error says what to do", async () => {
  const lone = newAgent({ entry: { model: [flag] } });
  await lone.prompt("hello");
  const message = expect.stringContaining("Open a new session with 'big'") as string;
  await expect(lone.change({ model: "big" })).rejects.toMatchObject({ code: "ACP_INVALID_OPTION", message });
  await lone.prompt("again");
  expect(lone.heard.processes).toHaveLength(1);
});

test("[N40] one that is restarted before its first turn loses nothing, also where it could not resume", async () => {
  const lone = newAgent({
    entry: { model: [{ by: "configOption", id: "llm" }, variable] },
    runtimeOptions: { model: "big" },
  });
  await lone.agent.connect();
  expect(await lone.prompt("hello", { onContextLost: "fail" })).toBe("end_turn");
  expect(lone.heard.process.env["FAKE_MODEL"]).toBe("big");
  expect(lone.state.contextLoss).toBeUndefined();
});

test("[N41] the models of an agent are those that one of its sessions reported last, and none before", async () => {
  const lone = newAgent({
    scripts: [{ session: { configOptions: [option("small")] } }],
    entry: { versionProbe: { args: ["-p", '"1.0.0"'] } },
  });
  const { models } = lone.deps;
  expect(models.list("mine", null)).toEqual({ models: [], source: null, error: null, at: null });
  await lone.prompt("hello");
  const reported = [
    { id: "small", name: "The small one" },
    { id: "big", name: "The big one" },
  ];
  const at = new Date(0).toISOString();
  for (const version of ["1.0.0", null]) {
    expect(models.list("mine", version)).toEqual({
      models: reported,
      source: "provider_api",
      error: null,
      at,
    });
  }
  expect(models.list("mine", "2.0.0")).toEqual({ models: reported, source: "fallback", error: null, at });
  expect(models.list("other", null).models).toEqual([]);
});
