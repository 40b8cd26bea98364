// Options of a session: modes, settings that the agent offers, the model, attachments.
import { OPERATIONS } from "@holdfast/protocol";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { answer, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask" },
    { id: "code", name: "Code" },
  ],
};
const select = {
  id: "effort",
  name: "Effort",
  type: "select",
  currentValue: "low",
  options: [
    { value: "low", name: "Low" },
    { value: "high", name: "High" },
  ],
};
const toggle = { id: "fast", name: "Fast", type: "boolean", currentValue: false };

test("[N32] a mode that the agent has is set now; one that it has not is ACP_INVALID_OPTION and changes nothing", async () => {
  const host = newHost({ agents: { mine: { session: { modes } } } });
  const session = await host.open();
  const status = await session.patch({ runtimeMode: "code" });
  expect(status.runtime_options).toMatchObject({ runtimeMode: "code" });
  expect(session.state.modes?.currentModeId).toBe("code");
  expect(session.agent.messages.at(-1)).toMatchObject({
    method: "session/set_mode",
    params: { modeId: "code" },
  });
  const message = "runtimeMode: this agent has no mode 'fly'. It has: ask, code.";
  await expect(session.patch({ runtimeMode: "fly" })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    status: 400,
    message,
  });
  expect(session.status.runtime_options).toMatchObject({ runtimeMode: "code" });
});

test("[R19] a session is created with the options that it can be changed to later", async () => {
  const host = newHost({ agents: { mine: { session: { modes, configOptions: [select] } } } });
  const session = await host.open({ timeoutSeconds: 60, runtimeMode: "code", extras: { effort: "high" } });
  expect(session.status.runtime_options).toMatchObject({ timeoutSeconds: 60, runtimeMode: "code" });
  expect(session.state.modes?.currentModeId).toBe("code");
  expect(session.state.configOptions).toMatchObject([{ id: "effort", currentValue: "high" }]);
});

test("[N32] extras set the agent's own options, checked against what it offers", async () => {
  const host = newHost({ agents: { mine: { session: { configOptions: [select, toggle] } } } });
  const session = await host.open();
  await session.patch({ extras: { effort: "high" } });
  expect(session.agent.messages.at(-1)?.params).toMatchObject({ configId: "effort", value: "high" });
  expect(session.state.configOptions).toMatchObject([{ id: "effort", currentValue: "high" }, {}]);
  await session.patch({ extras: { fast: "true" } });
  expect(session.agent.messages.at(-1)?.params).toMatchObject({
    configId: "fast",
    type: "boolean",
    value: true,
  });
  for (const [id, value] of [
    ["effort", "huge"],
    ["none", "x"],
  ] as const) {
    await expect(session.patch({ extras: { [id]: value } })).rejects.toMatchObject({
      code: "ACP_INVALID_OPTION",
    });
  }
});

test("[N39] an option that the agent takes and does not use is ACP_INVALID_OPTION, and the old value stays", async () => {
  const configOptions = [select, toggle];
  const host = newHost({
    agents: { mine: { session: { configOptions }, set: [answer({ configOptions })] } },
  });
  const session = await host.open();
  await expect(session.patch({ extras: { fast: "true" } })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    message: "fast: mine still uses 'false' instead of 'true'.",
  });
  expect(session.status.runtime_options).not.toHaveProperty("extras");
});

test("[N39] a mode that the agent leaves for another is ACP_INVALID_OPTION, and the agent's stays", async () => {
  const set = [update("current_mode_update", { currentModeId: "plan" }), answer({})];
  const available = ["ask", "code", "plan"].map((id) => ({ id, name: id }));
  const session = { modes: { currentModeId: "ask", availableModes: available } };
  const opened = await newHost({ agents: { mine: { session, set } } }).open();
  await expect(opened.patch({ runtimeMode: "code" })).rejects.toMatchObject({
    code: "ACP_INVALID_OPTION",
    message: "runtimeMode: mine still uses 'plan' instead of 'code'.",
  });
  expect(opened.status).toMatchObject({ current_mode: "plan" });
});

test("[A280] a session is read with its modes, its options and the model in force; a list has only what is in force", async () => {
  const model = {
    id: "llm",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: "small",
    options: [{ name: "Group", options: ["small", "big"].map((value) => ({ value, name: value })) }],
  };
  const host = newHost({ agents: { mine: { session: { modes, configOptions: [model, toggle] } } } });
  const session = await host.open({ model: "big" });
  const { status } = session;
  expect(OPERATIONS.getSession.response.parse({ success: true, session: status })).toEqual({
    success: true,
    session: status,
  });
  const choice = (value: string): object => ({ value, name: value, group: "Group" });
  expect(status).toMatchObject({
    current_model: "big",
    current_mode: "ask",
    modes: { currentModeId: "ask", availableModes: [{ id: "ask" }, { id: "code" }] },
    config_options: [
      { id: "llm", currentValue: "big", options: [choice("small"), choice("big")] },
      { id: "fast", type: "boolean", currentValue: false },
    ],
  });
  expect(await session.patch({ extras: { fast: "true" } })).toMatchObject({
    config_options: [{}, { id: "fast", currentValue: true }],
  });
  const [listed] = host.host.listSessions(ME);
  expect(listed).toMatchObject({ current_model: "big", current_mode: "ask" });
  expect(Object.keys(listed ?? {})).not.toContain("config_options");
  expect(Object.keys(listed ?? {})).not.toContain("modes");
});

test("[N32] where the agent has an option for modes, a mode is set by it", async () => {
  const option = { ...select, id: "mode", category: "mode" };
  const host = newHost({ agents: { mine: { session: { modes, configOptions: [option] } } } });
  const session = await host.open();
  await session.patch({ runtimeMode: "high" });
  expect(session.agent.methods).not.toContain("session/set_mode");
  expect(session.agent.messages.at(-1)?.params).toMatchObject({ configId: "mode", value: "high" });
});

test("[N32] a mode in the defaults that the agent has not fails creation, and nothing is left", async () => {
  const host = newHost({
    agents: { mine: { session: { modes } } },
    config: { defaults: { runtimeMode: "fly" } },
  });
  await expect(host.open()).rejects.toMatchObject({ code: "ACP_INVALID_OPTION" });
});

test("[N33] attachments become blocks that the agent takes", async () => {
  const capabilities = { promptCapabilities: { image: true, embeddedContext: true } };
  const host = newHost({ agents: { mine: { capabilities } } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const attachments = [
    { contentString: "data:image/png;base64,aGk=", mime: "image/png" },
    { contentString: "data:application/pdf;base64,cGRm", mime: "application/pdf" },
  ];
  await session.chat("look", { attachments });
  expect((await session.agent.heard("session/prompt")).params["prompt"]).toEqual([
    { type: "text", text: "look" },
    { type: "image", data: "aGk=", mimeType: "image/png" },
    { type: "resource", resource: { uri: "attachment:///1", blob: "cGRm", mimeType: "application/pdf" } },
  ]);
});

test("[N33] an attachment that the agent does not take is ACP_ATTACHMENT_NOT_SUPPORTED, and no turn begins", async () => {
  const session = await newHost().open({ approvalPolicy: "approve-all" });
  const attachments = [{ contentString: "data:audio/wav;base64,aGk=", mime: "audio/wav" }];
  await expect(session.chat("hear", { attachments })).rejects.toMatchObject({
    code: "ACP_ATTACHMENT_NOT_SUPPORTED",
  });
  expect(() => session.stream("hear", { attachments })).toThrow(
    expect.objectContaining({ code: "ACP_ATTACHMENT_NOT_SUPPORTED" }) as Error,
  );
  expect(session.chatState.turns).toEqual([]);
});
