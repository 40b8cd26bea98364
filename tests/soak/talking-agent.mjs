// An ACP agent for the soak: `talk <count> <everyMs>` says numbered words, one every so many milliseconds.
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/** @typedef {{ id: number, method: string, params?: { prompt?: { text: string }[] } }} Request */

/** Writes one message. */
function send(/** @type {object} */ message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Says so many words. */
async function talk(/** @type {number} */ count, /** @type {number} */ everyMs) {
  for (let index = 0; index < count; index += 1) {
    const content = { type: "text", text: `word ${index} of this turn, and a little more. ` };
    const update = { sessionUpdate: "agent_message_chunk", messageId: "m", content };
    send({ method: "session/update", params: { sessionId: "s", update } });
    await sleep(everyMs);
  }
}

/** Answers one request. */
async function answer(/** @type {Request} */ { id, method, params }) {
  if (method === "initialize") return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") return send({ id, result: { sessionId: "s" } });
  if (method !== "session/prompt") return;
  const [, count, everyMs] = params?.prompt?.[0]?.text.split(" ") ?? [];
  await talk(Number(count), Number(everyMs));
  send({ id, result: { stopReason: "end_turn" } });
}

for await (const line of createInterface(process.stdin)) {
  void answer(/** @type {Request} */ (JSON.parse(line)));
}
