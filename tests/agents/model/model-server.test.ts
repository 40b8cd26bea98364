// The scripted model: both of its APIs, streamed and whole, its choice of steps, and its refusal to be a proxy.
import { request } from "node:http";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { ModelServer } from "./model-server.ts";

async function startModel(): Promise<ModelServer> {
  const model = await ModelServer.start();
  onTestFinished(() => model.close());
  return model;
}

const anthropicTools = [{ name: "mcp__acp__Bash" }, { name: "mcp__acp__Write" }];
const openAiTools = ["bash", "write"].map((name) => ({ type: "function", function: { name } }));

function post(model: ModelServer, path: string, body: object): Promise<Response> {
  return fetch(`${model.url}${path}`, { method: "POST", body: JSON.stringify(body) });
}

/** The data of a stream's events. */
async function eventsOf(response: Response): Promise<unknown[]> {
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: {"));
  return lines.map((line): unknown => JSON.parse(line.slice("data: ".length)));
}

it("[G731] streams text and a tool call as Anthropic's Messages API does", async () => {
  const model = await startModel();
  model.play("go", [{ text: ["one ", "two"], call: { tool: "command", line: "ls" } }]);
  const messages = [{ role: "user", content: [{ type: "text", text: "[[go]] now" }] }];
  const body = { stream: true, tools: anthropicTools, messages };
  const events = await eventsOf(await post(model, "/v1/messages?beta=true", body));
  expect(events).toMatchObject([
    { type: "message_start" },
    { type: "content_block_start", index: 0, content_block: { type: "text" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "one " } },
    { type: "content_block_delta", index: 0, delta: { text: "two" } },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "tool_use", name: "mcp__acp__Bash" } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta" } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use" } },
    { type: "message_stop" },
  ]);
});

it("[G731] streams text and a tool call as OpenAI's chat completions do", async () => {
  const model = await startModel();
  model.play("go", [{ text: ["one"], call: { tool: "write", path: "/a", content: "b" } }]);
  const messages = [
    { role: "system", content: "[[other]]" },
    { role: "user", content: "[[go]] now" },
  ];
  const body = { stream: true, tools: openAiTools, messages };
  const events = await eventsOf(await post(model, "/v1/chat/completions", body));
  const write = { name: "write", arguments: JSON.stringify({ filePath: "/a", content: "b" }) };
  expect(events).toMatchObject([
    { choices: [{ delta: { role: "assistant" } }] },
    { choices: [{ delta: { content: "one" } }] },
    { choices: [{ delta: { tool_calls: [{ index: 0, type: "function", function: write }] } }] },
    { choices: [{ finish_reason: "tool_calls" }] },
    { choices: [], usage: {} },
  ]);
});

it("[G731] takes the step after a tool's result, the newest prompt, and the same step for the same request", async () => {
  const model = await startModel();
  model.play("first", [{ call: { tool: "command", line: "ls" } }, { text: ["listed"] }]);
  model.play("second", [{ text: ["again"] }]);
  const prompt = { role: "user", content: "[[first]]" };
  const result = [{ type: "tool_result", tool_use_id: "call_1", content: "a b" }];
  const done = [prompt, { role: "assistant", content: [] }, { role: "user", content: result }];
  const ask = async (messages: object[]): Promise<unknown> =>
    (await post(model, "/v1/messages", { tools: anthropicTools, messages })).json();
  const listed = { content: [{ type: "text", text: "listed" }], stop_reason: "end_turn" };
  expect(await ask([prompt])).toMatchObject({ content: [{ type: "tool_use" }], stop_reason: "tool_use" });
  expect(await ask(done)).toMatchObject(listed);
  expect(await ask(done)).toMatchObject(listed);
  const merged = { role: "user", content: "[[first]] interrupted [[second]]" };
  expect(await ask([merged])).toMatchObject({ content: [{ text: "again" }] });
  expect(model.requests("first").map(({ round }) => round)).toEqual([0, 1, 1]);
});

it("[G731] answers a request without tools aside, and one without a script with an error", async () => {
  const model = await startModel();
  const messages = [{ role: "user", content: "[[none]]" }];
  const aside = await post(model, "/v1/chat/completions", { messages });
  expect(await aside.json()).toMatchObject({ choices: [{ message: { content: "A title" } }] });
  const failed = await post(model, "/v1/chat/completions", { messages, tools: openAiTools });
  expect(failed.status).toBe(400);
  expect(model.faults).toEqual(["No script for round 0 of none"]);
  expect((await fetch(`${model.url}/v1/models`)).status).toBe(200);
  expect((await post(model, "/v1/messages/count_tokens", {})).status).toBe(200);
});

it("[G731] holds text back until the test lets it go on, and notes an agent that hangs up", async () => {
  const model = await startModel();
  model.play("held", [{ text: ["begun", { until: new Promise(() => undefined) }, "never"] }]);
  const body = { stream: true, tools: openAiTools, messages: [{ role: "user", content: "[[held]]" }] };
  const stopped = new AbortController();
  const response = await fetch(`${model.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: stopped.signal,
  });
  expect(response.status).toBe(200);
  expect(model.requests("held").map(({ answer }) => answer)).toEqual(["open"]);
  stopped.abort();
  await expect.poll(() => model.requests("held").map(({ answer }) => answer)).toEqual(["cut"]);
});

it("[G730] a program that uses the model as its proxy reaches nothing, and the address is kept", async () => {
  const model = await startModel();
  const { port, hostname } = new URL(model.url);
  const tunnel = request({ host: hostname, port, method: "CONNECT", path: "example.com:443" }).end();
  const [{ statusCode }] = (await once(tunnel, "connect")) as [{ statusCode: number }];
  const plain = request({ host: hostname, port, path: "http://example.com/x" }).end();
  const [answer] = (await once(plain, "response")) as [{ statusCode: number; resume(): void }];
  answer.resume();
  expect([statusCode, answer.statusCode]).toEqual([403, 403]);
  expect(model.outside).toEqual(["example.com:443", "http://example.com/x"]);
});
