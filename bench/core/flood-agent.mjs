// An ACP agent for benchmarks: answers the handshake, and floods or ticks as the prompt says.
import process from "node:process";
import { createInterface } from "node:readline";

/** Writes one message. */
function send(/** @type {object} */ message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** A piece of an answer. */
function update(/** @type {string} */ text) {
  const piece = { sessionUpdate: "agent_message_chunk", messageId: "m", content: { type: "text", text } };
  return { method: "session/update", params: { sessionId: "s", update: piece } };
}

/** Writes so many updates of about 400 bytes, as fast as the pipe takes them. */
async function flood(/** @type {number} */ count) {
  const line = `${JSON.stringify({ jsonrpc: "2.0", ...update("x".repeat(230)) })}\n`;
  const perWrite = 160;
  const block = Buffer.from(line.repeat(perWrite));
  for (let sent = 0; sent < count; sent += perWrite) {
    if (!process.stdout.write(block)) {
      await new Promise((resolve) => {
        process.stdout.once("drain", resolve);
      });
    }
  }
}

/** Writes so many tool calls, each as a start and an end, as fast as the pipe takes them. */
async function callTools(/** @type {number} */ count) {
  const perWrite = 80;
  for (let sent = 0; sent < count; sent += perWrite) {
    let block = "";
    for (let index = sent; index < Math.min(sent + perWrite, count); index += 1) {
      block += toolCall("tool_call", { toolCallId: `call-${index}`, title: "Read a file", kind: "read" });
      block += toolCall("tool_call_update", { toolCallId: `call-${index}`, status: "completed" });
    }
    if (!process.stdout.write(block)) {
      await new Promise((resolve) => {
        process.stdout.once("drain", resolve);
      });
    }
  }
}

/** One update of a tool call as a line. */
function toolCall(/** @type {string} */ sessionUpdate, /** @type {object} */ fields) {
  const params = { sessionId: "s", update: { sessionUpdate, ...fields } };
  return `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n`;
}

/** Sends so many updates, one every few milliseconds, each with the time it was sent. */
async function tick(/** @type {number} */ count) {
  for (let sent = 0; sent < count; sent += 1) {
    send(update(`<${Number(process.hrtime.bigint()) / 1e6}>`));
    await new Promise((resolve) => {
      setTimeout(resolve, 4);
    });
  }
}

/** Answers one request. */
async function answer(/** @type {string} */ line) {
  const request = /** @type {{ id: number; method: string; params: { prompt?: { text: string }[] } }} */ (
    JSON.parse(line)
  );
  const { id, method, params } = request;
  const agentInfo = { name: "flood", version: "1" };
  if (method === "initialize") {
    send({ id, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo } });
  }
  if (method === "session/new") send({ id, result: { sessionId: "s" } });
  if (method !== "session/prompt") return;
  const [word, count] = (params.prompt?.[0]?.text ?? "").split(" ");
  const act = { flood, calls: callTools }[word ?? ""] ?? tick;
  await act(Number(count));
  send({ id, result: { stopReason: "end_turn" } });
}

createInterface({ input: process.stdin }).on("line", (line) => void answer(line));
