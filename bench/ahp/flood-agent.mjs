// An agent that runs each prompt as a command in a terminal of its host, which is how a text run comes about.
import { createInterface } from "node:readline";

/**
 * @typedef {{ sessionId: string, prompt: { text: string }[] }} Prompt
 * @typedef {{ id: number, method?: string, params: Prompt, result: { terminalId: string } }} Message
 */

/** @type {Map<number, (result: { terminalId: string }) => void>} */
const waiting = new Map();
let lastId = 0;

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/**
 * @param {string} method
 * @param {object} params
 * @returns {Promise<{ terminalId: string }>}
 */
function ask(method, params) {
  lastId += 1;
  const id = lastId;
  send({ id, method, params });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
  });
}

/** @param {Prompt} params */
async function run({ sessionId, prompt }) {
  const args = ["-c", prompt[0]?.text ?? ""];
  const { terminalId } = await ask("terminal/create", { sessionId, command: "/bin/sh", args, cwd: "/" });
  await ask("terminal/wait_for_exit", { sessionId, terminalId });
  await ask("terminal/release", { sessionId, terminalId });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = /** @type {Message} */ (JSON.parse(line));
  if (method === undefined) waiting.get(id)?.(result);
  else if (method === "initialize") send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  else if (method === "session/new") send({ id, result: { sessionId: "bench" } });
  else if (method === "session/prompt") {
    void run(params).then(() => send({ id, result: { stopReason: "end_turn" } }));
  } else send({ id, result: {} });
}
