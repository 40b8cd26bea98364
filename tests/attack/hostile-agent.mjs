// A hostile ACP agent: performs the steps that a prompt lists as JSON, and answers with what came of each.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @typedef {import("./hostile-step.ts").HostileStep} HostileStep
 * @typedef {import("./hostile-step.ts").StepOutcome} StepOutcome
 * @typedef {Record<string, unknown>} Fields
 * @typedef {{ id?: number, method?: string, params?: Fields, result?: Fields, error?: { code: number, message: string } }} Message
 */

/** @type {Map<number, (message: Message) => void>} */
const waiting = new Map();
let lastId = 0;
/** @type {Promise<StepOutcome>} */
let late = Promise.resolve({});

/** @param {object} message */
function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Asks the host. @param {string} method @param {Fields} params @returns {Promise<Message>} */
function ask(method, params) {
  lastId += 1;
  const id = lastId;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** Runs a line outside the host's terminals, as most agents do. @param {string} line @returns {Promise<StepOutcome>} */
function runItself(line) {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", line], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    child.stderr.on("data", (data) => (output += String(data)));
    child.on("close", (exitCode, signal) => resolve({ exitCode, signal, output }));
    child.on("error", (error) => resolve({ error: error.message }));
  });
}

/** @param {string} sessionId @param {Fields} params @returns {Promise<StepOutcome>} */
async function runInTerminal(sessionId, params) {
  const created = await ask("terminal/create", { sessionId, ...params });
  if (created.error !== undefined) return { error: created.error.message, code: created.error.code };
  const terminal = { sessionId, terminalId: created.result?.["terminalId"] };
  const exit = await ask("terminal/wait_for_exit", terminal);
  const output = await ask("terminal/output", terminal);
  await ask("terminal/release", terminal);
  return { ...exit.result, output: String(output.result?.["output"]) };
}

/** @param {string} sessionId @param {HostileStep} step @returns {Promise<StepOutcome>} */
async function perform(sessionId, step) {
  switch (step.do) {
    case "run":
      return runItself(step.line);
    case "terminal": {
      const { do: _kind, ...params } = step;
      return runInTerminal(sessionId, params);
    }
    case "call": {
      const reply = await ask(step.method, { sessionId, ...step.params });
      return reply.error === undefined
        ? { result: reply.result ?? {} }
        : { error: reply.error.message, code: reply.error.code };
    }
    case "later":
      late = sleep(step.afterMs).then(() => perform(sessionId, step.step));
      return {};
    case "collect":
      return late;
    case "report":
      send({ method: "session/update", params: { sessionId, update: step.update } });
      return {};
    case "environment":
      return { output: JSON.stringify(process.env) };
    case "readFile":
      try {
        return { output: readFileSync(step.path, "utf8") };
      } catch (error) {
        return { error: String(error) };
      }
  }
}

/** @param {Fields} params */
async function prompt(params) {
  const sessionId = String(params["sessionId"]);
  const [block] = /** @type {{ text: string }[]} */ (params["prompt"]);
  const outcomes = [];
  for (const step of /** @type {HostileStep[]} */ (JSON.parse(block?.text ?? "[]"))) {
    outcomes.push(await perform(sessionId, step));
  }
  const content = { type: "text", text: JSON.stringify(outcomes) };
  const update = { sessionUpdate: "agent_message_chunk", content };
  send({ method: "session/update", params: { sessionId, update } });
  return { stopReason: "end_turn" };
}

/** @param {Message} message @returns {Promise<Fields>} */
async function handle({ method, params = {} }) {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: {} };
  if (method === "session/new") return { sessionId: `hostile-${process.pid}` };
  return method === "session/prompt" ? prompt(params) : {};
}

createInterface(process.stdin).on("line", (line) => {
  const message = /** @type {Message} */ (JSON.parse(line));
  if (message.method === undefined) {
    waiting.get(message.id ?? 0)?.(message);
    waiting.delete(message.id ?? 0);
    return;
  }
  void handle(message).then((result) => {
    if (message.id !== undefined) send({ id: message.id, result });
  });
});
