// An ACP agent for the soak and the heap test: `run <count> [<bytes>]` runs so many commands, one after the other, with so much output.
import process from "node:process";
import { createInterface } from "node:readline";

/** @typedef {{ id: number, method?: string, params?: { prompt?: { text: string }[] }, result?: Result }} Message */
/** @typedef {{ terminalId?: string }} Result */

/** @type {Map<number, (result: Result) => void>} */
const waiting = new Map();
let lastId = 0;
let lastCall = 0;

/** Writes one message. */
function send(/** @type {object} */ message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Sends an update of a tool call. */
function update(/** @type {string} */ sessionUpdate, /** @type {object} */ fields) {
  send({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate, ...fields } } });
}

/** Asks the host. @param {string} method @param {object} params @returns {Promise<Result>} */
function ask(method, params) {
  lastId += 1;
  const id = lastId;
  send({ id, method, params: { sessionId: "s", ...params } });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
  });
}

/** Runs one command as a tool call, reads its output and releases it. */
async function runCommand(/** @type {number} */ outputBytes) {
  lastCall += 1;
  const toolCallId = `call-${lastCall}`;
  const command = { command: "printf", args: [`%${outputBytes}d`, String(lastCall)] };
  update("tool_call", {
    toolCallId,
    title: "printf",
    kind: "execute",
    status: "in_progress",
    rawInput: command,
  });
  const { terminalId } = await ask("terminal/create", command);
  update("tool_call_update", { toolCallId, content: [{ type: "terminal", terminalId }] });
  for (const method of ["wait_for_exit", "output", "release"]) {
    await ask(`terminal/${method}`, { terminalId });
  }
  update("tool_call_update", { toolCallId, status: "completed" });
}

/** Answers one request. */
async function answer(/** @type {Message} */ { id, method, params }) {
  if (method === "initialize") return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") return send({ id, result: { sessionId: "s" } });
  if (method !== "session/prompt") return;
  const [, count, outputBytes = "8"] = params?.prompt?.[0]?.text.split(" ") ?? [];
  for (let index = 0; index < Number(count); index += 1) await runCommand(Number(outputBytes));
  send({ id, result: { stopReason: "end_turn" } });
}

for await (const line of createInterface(process.stdin)) {
  const message = /** @type {Message} */ (JSON.parse(line));
  if (message.method === undefined) {
    waiting.get(message.id)?.(message.result ?? {});
    waiting.delete(message.id);
  } else void answer(message);
}
