// An ACP agent for tests: a real process that does what its script says and writes down all it hears.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @typedef {import("./script.ts").Step} Step
 * @typedef {import("./script.ts").Script} Script
 * @typedef {Record<string, unknown>} Fields
 * @typedef {{ id?: number, method?: string, params?: Fields, result?: Fields, error?: Fields }} Message
 * @typedef {{ id: number, sessionId: string }} Asked A request of the host that steps are played for.
 * @typedef {{ name: string, id: number, answer?: Message, arrived: () => void }} Question A request of the agent to the host.
 */

const recordPath = process.env["FAKE_AGENT_RECORD"] ?? "";
const earlier = existsSync(recordPath) ? readFileSync(recordPath, "utf8").split('{"started"').length - 1 : 0;
const scripts = /** @type {Script[]} */ (
  JSON.parse(readFileSync(process.env["FAKE_AGENT_SCRIPT"] ?? "", "utf8"))
);
const script = scripts[Math.min(earlier, scripts.length - 1)] ?? {};

/** @type {Map<string, Question>} */
const questions = new Map();
/** @type {Fields} */
let promptBlock = {};
let cancelled = new AbortController();
let lastId = 0;
let sessions = 0;
let isSignedIn = false;
/**
 * @typedef {{ name: string, value: string }} Named
 * @type {{ url?: string, headers?: Named[], command?: string, args?: string[], env?: Named[] } | undefined}
 */
let mcpServer;
/** @type {((message: Message) => Promise<Message>) | undefined} Asks the MCP server that is a child process. */
let askMcpProcess;
/** @type {{ modes?: Fields, models?: Fields, configOptions?: Fields[] }} What is offered and chosen in its session. */
const settings = structuredClone(script.session ?? {});
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

/** @param {string} sessionId @param {unknown} update */
function sendUpdate(sessionId, update) {
  send({ method: "session/update", params: { sessionId, update } });
}

/** @param {string} text */
function chunk(text) {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}

/** Replaces `$name.field` by the field of an earlier answer. @param {unknown} value @returns {unknown} */
function fill(value) {
  if (typeof value === "string" && /^\$[\w-]+\.\w+$/.test(value)) {
    const [name = "", field = ""] = value.slice(1).split(".");
    return (name === "prompt" ? promptBlock : questions.get(name)?.answer?.result)?.[field];
  }
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
}

/** @param {string} name */
async function answerTo(name) {
  const question = questions.get(name);
  if (question === undefined || question.answer !== undefined) return;
  await new Promise((arrive) => {
    question.arrived = () => arrive(undefined);
  });
}

/** Waits for something, but no longer than until the turn is cancelled. @param {Promise<unknown>} promise */
async function unlessCancelled(promise) {
  const { signal } = cancelled;
  const abort = new Promise((stop) => {
    if (signal.aborted) stop(undefined);
    signal.addEventListener("abort", stop, { once: true });
  });
  await Promise.race([promise, abort]);
}

/** @param {string} line */
function startChildren(line) {
  spawn("/bin/sh", ["-c", line], { detached: true, stdio: "ignore" }).unref();
}

/** @type {{ [Kind in Step["do"]]: (step: Extract<Step, { do: Kind }>, asked: Asked) => unknown }} */
const kinds = {
  update: ({ update }, { sessionId }) => sendUpdate(sessionId, fill(update)),
  say: ({ text }, { sessionId }) => sendUpdate(sessionId, chunk(text)),
  hugeLine: ({ sizeBytes, text }, { sessionId }) =>
    sendUpdate(sessionId, chunk(text.repeat(Math.ceil(sizeBytes / text.length)))),
  notify: ({ method, params }) => send({ method, params: fill(params) }),
  ask: async ({ method, params = {}, as: name = method, wait = true }, { sessionId }) => {
    lastId += 1;
    questions.set(name, { name, id: lastId, arrived: () => {} });
    send({ id: lastId, method, params: { sessionId, .../** @type {Fields} */ (fill(params)) } });
    if (wait) await unlessCancelled(answerTo(name));
  },
  mcp: async ({ method, params = {}, as: name = method, wait = true }) => {
    lastId += 1;
    const id = lastId;
    questions.set(name, { name, id, arrived: () => {} });
    const request = { jsonrpc: "2.0", id, method, params: /** @type {Fields} */ (fill(params)) };
    void askMcp(request).then((answer) => takeAnswer({ ...answer, id }));
    if (wait) await unlessCancelled(answerTo(name));
  },
  await: ({ name }) => unlessCancelled(answerTo(name)),
  poll: async ({ terminalId, text }, asked) => {
    const step = /** @type {const} */ ({ do: "ask", method: "terminal/output", as: "poll" });
    for (let seen = ""; !seen.includes(text) && !cancelled.signal.aborted;) {
      await kinds.ask({ ...step, params: { terminalId } }, asked);
      seen = JSON.stringify(questions.get("poll")?.answer?.result ?? {});
    }
  },
  takeBack: ({ name }) =>
    send({ method: "$/cancel_request", params: { requestId: questions.get(name)?.id } }),
  answer: ({ result }, { id }) => send({ id, result }),
  fail: ({ code, message, data }, { id }) => send({ id, error: { code, message, data } }),
  stdout: ({ text }) => write(text),
  closeOutput: () => {
    closeSync(1);
    setInterval(() => {}, 1000);
  },
  stderr: ({ text }) => process.stderr.write(text),
  exit: ({ code }) => process.exit(code),
  signal: async ({ signal }) => {
    process.kill(process.pid, signal);
    await sleep(60_000);
  },
  spawn: ({ line }) => startChildren(line),
  hang: () => unlessCancelled(sleep(3_600_000, undefined, { ref: false })),
  leak: async () => {
    for (const kept = []; ; await sleep(1)) kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
  },
  spin: async () => {
    for (;;);
  },
  sleep: ({ ms }) => unlessCancelled(sleep(ms)),
  until: async ({ path }) => {
    const gate = resolve(dirname(recordPath), path);
    while (!existsSync(gate) && !cancelled.signal.aborted) await sleep(5);
  },
  repeat: async ({ times, steps }, asked) => {
    for (let done = 0; done < times; done += 1) await play(steps, asked);
  },
  together: async ({ steps }, asked) => {
    collected = [];
    await play(steps, asked);
    const text = collected.join("");
    collected = undefined;
    write(text);
  },
};

/** @param {string} command @returns {(message: Message) => Promise<Message>} */
function startMcpProcess(command) {
  const { args = [], env = [] } = mcpServer ?? {};
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const child = spawn(command, args, {
    env: { ...process.env, ...given },
    stdio: ["pipe", "pipe", "inherit"],
  });
  /** @type {Map<number | undefined, (answer: Message) => void>} */
  const asked = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = /** @type {Message} */ (JSON.parse(line));
    asked.get(message.id)?.(message);
  });
  return (message) =>
    new Promise((arrive) => {
      asked.set(message.id, arrive);
      child.stdin.write(`${JSON.stringify(message)}\n`);
    });
}

/** @param {Message} message @returns {Promise<Message>} */
async function askMcp(message) {
  const { url = "", headers = [], command } = mcpServer ?? {};
  if (command !== undefined) return (askMcpProcess ??= startMcpProcess(command))(message);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
      },
      body: JSON.stringify(message),
    });
    return /** @type {Message} */ (await response.json());
  } catch (error) {
    return { error: { message: String(error) } };
  }
}

/** @param {Message} message */
function noteMcpServer({ params }) {
  [mcpServer] = /** @type {NonNullable<typeof mcpServer>[]} */ (params?.["mcpServers"] ?? []);
}

/** @param {readonly Step[]} steps @param {Asked} asked */
async function play(steps, asked) {
  for (const step of steps) {
    const act = /** @type {(step: Step, asked: Asked) => unknown} */ (kinds[step.do]);
    await act(step, asked);
  }
}

/** @param {Message} message @returns {Asked} */
function askedBy({ id = 0, params }) {
  const sessionId = params?.["sessionId"];
  return { id, sessionId: typeof sessionId === "string" ? sessionId : "fake-session" };
}

/** @param {Message} message @param {readonly Step[] | undefined} steps @param {object} usual */
async function reply(message, steps, usual) {
  await play(steps ?? [{ do: "answer", result: usual }], askedBy(message));
}

/** @param {Message} message */
async function prompt(message) {
  const signInFile = script.signInFile && resolve(dirname(recordPath), script.signInFile);
  if (signInFile !== undefined && !existsSync(signInFile)) {
    return send({ id: message.id, error: { code: -32000, message: "Authentication required" } });
  }
  cancelled = new AbortController();
  [promptBlock = {}] = /** @type {Fields[]} */ (message.params?.["prompt"] ?? []);
  const steps = script.prompts?.[String(promptBlock["text"])] ?? script.prompts?.["*"] ?? [];
  await play(steps, askedBy(message));
  if (steps.some((step) => ["answer", "fail", "together"].includes(step.do))) return;
  send({ id: message.id, result: { stopReason: cancelled.signal.aborted ? "cancelled" : "end_turn" } });
}

/** @param {Message} message */
function takeAnswer({ id, result, error }) {
  const question = [...questions.values()].find((each) => each.id === id);
  record({ answered: question?.name, result, error });
  if (question === undefined) return;
  question.answer = { result, error };
  question.arrived();
}

/** Sets a mode, a model or an option. @param {Fields} params */
function choose({ modeId, modelId, configId, value }) {
  if (settings.modes !== undefined && modeId !== undefined) settings.modes["currentModeId"] = modeId;
  if (settings.models !== undefined && modelId !== undefined) settings.models["currentModelId"] = modelId;
  const option = settings.configOptions?.find(({ id }) => id === configId);
  if (option !== undefined) option["currentValue"] = value;
}

/** @param {Message} message */
async function receive(message) {
  const { id, method } = message;
  if (method === undefined) return takeAnswer(message);
  record({ heard: message });
  switch (method) {
    case "initialize": {
      const agentInfo = { name: script.name ?? "fake-agent", version: "1.2.3" };
      const agentCapabilities = script.capabilities ?? {};
      const authMethods = script.authMethods ?? [];
      const steering = script.steering === undefined ? {} : { _meta: { steering: { supported: true } } };
      const result = { protocolVersion: 1, agentInfo, agentCapabilities, authMethods, ...steering };
      return reply(message, script.initialize, result);
    }
    case "authenticate":
      isSignedIn = message.params?.["methodId"] === script.signInBy;
      if (isSignedIn) return reply(message, undefined, {});
      return send({ id, error: { code: -32603, message: "The key is not valid" } });
    case "session/new":
      if (script.signInBy !== undefined && !isSignedIn) {
        return send({ id, error: { code: -32000, message: "Authentication required" } });
      }
      sessions += 1;
      noteMcpServer(message);
      return reply(message, script.newSession, {
        sessionId: `fake-${process.pid}-${sessions}`,
        ...settings,
      });
    case "session/fork":
      if (script.fork !== undefined) return play(script.fork, askedBy(message));
      break;
    case "session/load":
    case "session/resume":
      noteMcpServer(message);
      return reply(message, script.reopen, settings);
    case "session/set_mode":
    case "session/set_model":
    case "session/set_config_option":
      if (script.set === undefined) choose(message.params ?? {});
      return reply(message, script.set, method === "session/set_config_option" ? settings : {});
    case "session/close":
      return reply(message, undefined, {});
    case "session/prompt":
      return prompt(message);
    case "_session/steering":
      if (script.steering !== undefined) return play(script.steering, askedBy(message));
      return send({ id, error: { code: -32601, message: "Method not found" } });
    case "session/cancel":
      if (script.ignoresCancel !== true) cancelled.abort();
      return;
    default:
  }
  if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
}

const { pid, ppid, env } = process;
record({ started: { pid, ppid, cwd: process.cwd(), args: process.argv.slice(2), env } });
if (script.ignoresTerm === true) process.on("SIGTERM", () => record({ signal: "SIGTERM" }));
if (script.children !== undefined) startChildren(script.children);
if (script.stderr !== undefined) process.stderr.write(script.stderr);
const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on("line", (line) => void receive(/** @type {Message} */ (JSON.parse(line))));
lines.on("close", () => {
  record({ endOfInput: true });
  if (script.ignoresEndOfInput === true) setInterval(() => {}, 60_000);
  else process.exit(0);
});
