// An ACP agent for tests: a real process that does what its script says and writes down all it hears.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @typedef {import("./script.ts").Step} Step
 * @typedef {import("./script.ts").Script} Script
 * @typedef {{ id?: number | string, method?: string, params?: any, result?: any, error?: any }} Message
 */

const recordPath = process.env["FAKE_AGENT_RECORD"] ?? "";
/** @type {Script[]} */
const scripts = JSON.parse(readFileSync(process.env["FAKE_AGENT_SCRIPT"] ?? "", "utf8"));

/** The answers that have arrived and those who wait for them, by the name of the question. */
const answers = new Map();
/** @type {Map<string, () => void>} */
const waiting = new Map();
/** @type {Map<string, number | string>} */
const prompts = new Map();
const stop = new AbortController();
let cancelled = new AbortController();
let lastId = 0;
let sessions = 0;
/** @type {string[] | undefined} */
let collected;

/** @param {object} entry */
function record(entry) {
  appendFileSync(recordPath, `${JSON.stringify(entry)}\n`);
}

/** @param {string} text */
function write(text) {
  if (collected === undefined) process.stdout.write(text);
  else collected.push(text);
}

/** @param {object} message */
function send(message) {
  write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Replaces `$name.field` by the field of an earlier answer. @param {any} value @returns {any} */
function fill(value) {
  if (typeof value === "string" && /^\$\w+\.\w+$/.test(value)) {
    const [name = "", field = ""] = value.slice(1).split(".");
    return answers.get(name)?.result?.[field];
  }
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
}

/** @param {string} name */
async function answerTo(name) {
  if (!answers.has(name)) await new Promise((arrive) => waiting.set(name, () => arrive(undefined)));
}

/** @param {AbortSignal} signal */
function aborted(signal) {
  return new Promise((abort) => {
    if (signal.aborted) abort(undefined);
    signal.addEventListener("abort", abort, { once: true });
  });
}

/** Waits for something, but no longer than until the turn is cancelled. @param {Promise<unknown>} promise */
async function unlessCancelled(promise) {
  await Promise.race([promise, aborted(cancelled.signal)]);
}

/** @type {{ [Kind in Step["do"]]: (step: any, request: { id: number | string, sessionId: string }) => unknown }} */
const kinds = {
  update: ({ update }, { sessionId }) => {
    send({ method: "session/update", params: { sessionId, update: fill(update) } });
  },
  say: ({ text }, { sessionId }) => {
    const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
    send({ method: "session/update", params: { sessionId, update } });
  },
  notify: ({ method, params }) => send({ method, params }),
  ask: async ({ method, params, as = method, wait = true }, { sessionId }) => {
    lastId += 1;
    prompts.set(`asked ${lastId}`, as);
    prompts.set(`id of ${as}`, lastId);
    answers.delete(as);
    send({ id: lastId, method, params: { sessionId, ...fill(params) } });
    if (wait) await unlessCancelled(answerTo(as));
  },
  await: ({ name }) => unlessCancelled(answerTo(name)),
  takeBack: ({ name }) =>
    send({ method: "$/cancel_request", params: { requestId: prompts.get(`id of ${name}`) } }),
  answer: ({ result }, { id }) => send({ id, result }),
  fail: ({ code, message }, { id }) => send({ id, error: { code, message } }),
  stdout: ({ text }) => write(text),
  hugeLine: ({ sizeBytes, text }, { sessionId }) => {
    const content = { type: "text", text: text.repeat(Math.ceil(sizeBytes / text.length)) };
    send({
      method: "session/update",
      params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } },
    });
  },
  stderr: ({ text }) => process.stderr.write(text),
  exit: ({ code }) => process.exit(code),
  signal: async ({ signal }) => {
    process.kill(process.pid, signal);
    await sleep(60_000);
  },
  spawn: ({ line }) => spawn("/bin/sh", ["-c", line], { detached: true, stdio: "ignore" }).unref(),
  hang: () => unlessCancelled(aborted(stop.signal)),
  sleep: ({ ms }) => unlessCancelled(sleep(ms)),
  until: async ({ path }) => {
    const gate = resolve(dirname(recordPath), path);
    while (!existsSync(gate) && !cancelled.signal.aborted) await sleep(5);
  },
  together: async ({ steps }, request) => {
    collected = [];
    await run(steps, request);
    const text = collected.join("");
    collected = undefined;
    write(text);
  },
};

/** @param {readonly Step[]} steps @param {{ id: number | string, sessionId: string }} request */
async function run(steps, request) {
  for (const step of steps) await kinds[step.do](step, request);
}

const started = existsSync(recordPath) ? readFileSync(recordPath, "utf8").split('{"started"').length - 1 : 0;
const script = scripts[Math.min(started, scripts.length - 1)] ?? {};

/** @param {Message} message @param {readonly Step[] | undefined} steps @param {object} fallback */
async function reply({ id = 0, params }, steps, fallback) {
  const request = { id, sessionId: params?.sessionId ?? "fake-session" };
  if (steps === undefined) send({ id, result: fallback });
  else await run(steps, request);
}

/** @param {Message} message */
async function prompt(message) {
  const { sessionId } = message.params;
  const id = message.id ?? 0;
  cancelled = new AbortController();
  prompts.set(sessionId, id);
  const [block] = message.params.prompt;
  answers.set("prompt", { result: block });
  const steps = script.prompts?.[block.text] ?? script.prompts?.["*"] ?? [];
  await run(steps, { id, sessionId });
  if (prompts.get(sessionId) !== id) return;
  prompts.delete(sessionId);
  if (steps.some((step) => step.do === "answer" || step.do === "fail" || step.do === "together")) return;
  send({ id, result: { stopReason: cancelled.signal.aborted ? "cancelled" : "end_turn" } });
}

/** @param {Message} message */
async function receive(message) {
  if (message.method !== undefined) record({ heard: message });
  switch (message.method) {
    case undefined: {
      const name = `${prompts.get(`asked ${message.id}`)}`;
      record({ answered: name, result: message.result, error: message.error });
      answers.set(name, message);
      waiting.get(name)?.();
      return;
    }
    case "initialize": {
      const agentInfo = { name: script.name ?? "fake-agent", version: "1.2.3" };
      const agentCapabilities = script.capabilities ?? {};
      return reply(message, script.initialize, {
        protocolVersion: 1,
        agentInfo,
        agentCapabilities,
        authMethods: [],
      });
    }
    case "session/new":
      sessions += 1;
      return reply(message, script.newSession, {
        sessionId: `fake-${process.pid}-${sessions}`,
        ...script.session,
      });
    case "session/load":
    case "session/resume":
      return reply(message, script.reopen, { ...script.session });
    case "session/set_mode":
    case "session/set_config_option":
      return reply(message, script.set, script.session ?? {});
    case "session/prompt":
      return prompt(message);
    case "session/cancel":
      if (script.ignoresCancel !== true) cancelled.abort();
      return;
    default:
      if (message.id !== undefined)
        send({ id: message.id, error: { code: -32601, message: "Method not found" } });
  }
}

const { pid, ppid, env } = process;
record({ started: { pid, ppid, cwd: process.cwd(), args: process.argv.slice(2), env } });
if (script.ignoresTerm === true) process.on("SIGTERM", () => record({ signal: "SIGTERM" }));
if (script.children !== undefined)
  spawn("/bin/sh", ["-c", script.children], { detached: true, stdio: "ignore" }).unref();
if (script.stderr !== undefined) process.stderr.write(script.stderr);
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line) => void receive(JSON.parse(line)));
lines.on("close", () => {
  record({ endOfInput: true });
  if (script.ignoresEndOfInput === true) setInterval(() => {}, 60_000);
  else process.exit(0);
});
