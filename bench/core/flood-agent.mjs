// An ACP agent for benchmarks: answers the handshake, and floods or ticks as the prompt says.
import { createInterface } from "node:readline";

const send = (/** @type {object} */ message) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (/** @type {string} */ text) => ({
  method: "session/update",
  params: {
    sessionId: "s",
    update: { sessionUpdate: "agent_message_chunk", messageId: "m", content: { type: "text", text } },
  },
});

/** Writes so many updates of about 400 bytes, as fast as the pipe takes them. */
async function flood(/** @type {number} */ count) {
  const line = `${JSON.stringify({ jsonrpc: "2.0", ...update("x".repeat(230)) })}\n`;
  const perWrite = 160;
  const block = Buffer.from(line.repeat(perWrite));
  for (let sent = 0; sent < count; sent += perWrite) {
    if (!process.stdout.write(block)) await new Promise((resolve) => process.stdout.once("drain", resolve));
  }
}

/** Sends so many updates, one every few milliseconds, each with the time it was sent. */
async function tick(/** @type {number} */ count) {
  for (let sent = 0; sent < count; sent += 1) {
    send(update(`<${performance.timeOrigin + performance.now()}>`));
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send({
      id,
      result: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "flood", version: "1" } },
    });
  if (method === "session/new") send({ id, result: { sessionId: "s" } });
  if (method !== "session/prompt") return;
  const [word, count] = params.prompt[0].text.split(" ");
  await (word === "flood" ? flood(Number(count)) : tick(Number(count)));
  send({ id, result: { stopReason: "end_turn" } });
});
