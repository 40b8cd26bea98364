// Questions of agents that are more than yes or no: forms and addresses.
import { channelModels, defaultChatUri, makeId } from "@holdfast/ahp";
import { expect, onTestFinished, test, vi } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, askOn, say } from "../testing/script.ts";
import { uriOfKey } from "../testing/session-uri.ts";
import type { ApprovalPlace } from "./approvals.ts";
import { InputRequests } from "./input-requests.ts";

guardLeaks();
const newHost = useFakeHosts();

const requestedSchema = {
  type: "object",
  properties: {
    colour: { type: "string", title: "Colour", enum: ["red", "blue"] },
    count: { type: "integer", description: "How many?" },
    sure: { type: "boolean" },
    mail: { type: "string", format: "email" },
  },
  required: ["colour"],
};

test.each([
  ["accept", { colour: "red", count: 2, sure: true }],
  ["decline", undefined],
  ["cancel", undefined],
])("[V10] a form is shown with its questions, and %s is an answer to it", async (optionId, content) => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            ask("form", "elicitation/create", { mode: "form", message: "Paint it", requestedSchema }),
            say("on"),
          ],
        },
      },
    },
  });
  const session = await host.open();
  const turn = session.stream("go");
  const action = await turn.until(({ type }) => type === "chat/inputRequested");
  const request = action.type === "chat/inputRequested" ? action.request : undefined;
  expect(request).toMatchObject({
    message: "Paint it",
    requestedSchema,
    questions: [
      { id: "colour", kind: "single-select", required: true, options: [{ id: "red" }, { id: "blue" }] },
      { id: "count", kind: "integer", message: "How many?", required: false },
      { id: "sure", kind: "boolean" },
      { id: "mail", kind: "text", format: "email" },
    ],
  });
  expect(session.state.inputNeeded).toMatchObject([{ kind: "chatInput" }]);
  if (content !== undefined) {
    expect(session.resolve(request?.id ?? "", optionId)).toMatchObject({
      resolved: false,
      reason: expect.stringContaining("Colour") as string,
    });
    expect(session.resolve(request?.id ?? "", optionId, { ...content, count: "two" })).toMatchObject({
      resolved: false,
    });
  }
  expect(session.resolve(request?.id ?? "", optionId, content)).toEqual({ resolved: true });
  expect(session.resolve(request?.id ?? "", optionId, content)).toMatchObject({ resolved: false });
  await turn.ended;
  expect(await session.agent.result("form")).toEqual({ action: optionId, ...(content && { content }) });
  expect(session.state.inputNeeded).toEqual([]);
});

test("[N9] a null in place of an optional member of a form counts as absent", async () => {
  const schema = { ...requestedSchema, title: null, required: null };
  const params = { mode: "form", message: "Paint it", requestedSchema: schema, toolCallId: null, url: null };
  const host = newHost({
    agents: { mine: { prompts: { go: [ask("form", "elicitation/create", params)] } } },
  });
  const session = await host.open();
  const turn = session.stream("go");
  const action = await turn.until(({ type }) => type === "chat/inputRequested");
  expect(channelModels.chat.checkAction(action)).toMatchObject({ ok: true });
  const id = action.type === "chat/inputRequested" ? action.request.id : "";
  expect(session.resolve(id, "accept", { count: 1 })).toEqual({ resolved: true });
  await turn.ended;
});

test("[A85] the entered values go to the agent with the answer, and no other action is one", async () => {
  const form = ask("form", "elicitation/create", { mode: "form", message: "Paint it", requestedSchema });
  const host = newHost({ agents: { mine: { prompts: { go: [form] } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const action = await turn.until(({ type }) => type === "chat/inputRequested");
  const id = action.type === "chat/inputRequested" ? action.request.id : "";
  expect(() => session.resolve(id, "yes")).toThrow(
    "There is no option 'yes'. Choose one of: accept, decline, cancel.",
  );
  const content = { colour: "red", count: 3, sure: true, mail: "a@example.org" };
  expect(session.resolve(id, "accept", content)).toEqual({ resolved: true });
  await turn.ended;
  expect(await session.agent.result("form")).toEqual({ action: "accept", content });
});

test("[V10] an address to visit is shown", async () => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            ask("visit", "elicitation/create", {
              mode: "url",
              message: "Log in",
              url: "https://example.com/login",
              elicitationId: "e1",
            }),
          ],
        },
      },
    },
  });
  const session = await host.open();
  const turn = session.stream("go");
  const action = await turn.until(({ type }) => type === "chat/inputRequested");
  expect(action).toMatchObject({ request: { message: "Log in", url: "https://example.com/login" } });
  await session.cancel();
  expect(await session.agent.result("visit")).toEqual({ action: "cancel" });
});

test("[V300] a form is listed with the permission requests, the oldest first, until it is answered", async () => {
  const form = ask("form", "elicitation/create", { mode: "form", message: "Paint it", requestedSchema });
  const host = newHost({ agents: { mine: { prompts: { go: [form] } } } });
  const session = await host.open();
  const turn = session.stream("go");
  const action = await turn.until(({ type }) => type === "chat/inputRequested");
  const request = action.type === "chat/inputRequested" ? action.request : undefined;
  expect(host.host.approvals.list(ME)).toEqual([
    { kind: "form", sessionKey: session.key, requestedAt: request?.requestedAt, request },
  ]);
  expect(session.resolve(request?.id ?? "", "accept", { colour: "red" })).toEqual({ resolved: true });
  expect(host.host.approvals.list(ME)).toEqual([]);
  await turn.ended;
});

test("[V300] a form that nobody answers in time is cancelled, and reports it", async () => {
  const form = ask("form", "elicitation/create", { mode: "form", message: "Paint it", requestedSchema });
  const host = newHost({
    agents: { mine: { prompts: { go: [form, say("on")] } } },
    timeouts: { approvalMs: 30 },
  });
  const session = await host.open();
  const turn = await session.turn("go");
  expect(await session.agent.result("form")).toEqual({ action: "cancel" });
  const asked = turn.actions.find(({ type }) => type === "chat/inputRequested");
  expect(asked).toMatchObject({ request: { expiresAt: expect.any(String) } });
  const completed = turn.actions.find(({ type }) => type === "chat/inputCompleted");
  expect(completed).toMatchObject({ response: "cancel", by: { kind: "expiry" } });
});

test("[V861] a form whose time the clock has passed is cancelled within 15 s, whatever became of a timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let nowMs = Date.now();
  const dayMs = 24 * 60 * 60 * 1000;
  const inputs = new InputRequests(() => new Date(nowMs), dayMs);
  const session = uriOfKey("agent:mine:acp:one");
  const actions: string[] = [];
  const place: ApprovalPlace = {
    session,
    key: makeId("session key", "agent:mine:acp:one"),
    chat: defaultChatUri(session),
    turnId: makeId("turn", "one"),
    dispatch: ({ action }) => void actions.push(action.type),
  };
  const answer = inputs.ask(place, { message: "Paint it", mode: "form", requestedSchema }, "form");
  const asked = ["chat/inputRequested", "session/inputNeededSet"];
  vi.advanceTimersByTime(60_000);
  expect(actions).toEqual(asked);
  nowMs += 2 * dayMs;
  vi.advanceTimersByTime(15_000);
  expect(actions).toEqual([...asked, "chat/inputCompleted", "session/inputNeededRemoved"]);
  expect(await answer).toEqual({ action: "cancel" });
  inputs.close();
});

test("[V12] a form that its agent takes back is cancelled, and the turn continues", async () => {
  const host = newHost({
    agents: {
      mine: {
        prompts: {
          go: [
            askOn("form", "elicitation/create", { mode: "form", message: "Paint it", requestedSchema }),
            { do: "until", path: "gate" },
            { do: "takeBack", name: "form" },
            { do: "await", name: "form" },
          ],
        },
      },
    },
  });
  const session = await host.open();
  const turn = session.stream("go");
  await turn.until(({ type }) => type === "chat/inputRequested");
  host.pass("gate");
  const completed = await turn.until(({ type }) => type === "chat/inputCompleted");
  expect(completed).toMatchObject({ response: "cancel", by: { kind: "host" } });
  await turn.ended;
  expect(session.state.inputNeeded).toEqual([]);
  expect(host.host.approvals.list(ME)).toEqual([]);
});
