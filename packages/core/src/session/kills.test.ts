// Hosts that are killed at random moments, or between two commits: what people and agents see is what they would have seen without a kill.
import { readFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as nextTick, setTimeout as sleep } from "node:timers/promises";
import { type Action, type ChatState, defaultChatUri, reduceChat } from "@holdfast/ahp";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { until } from "../testing/agent-record.ts";
import { ME } from "../testing/fake-host.ts";
import { FakeSession } from "../testing/fake-session.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { Restarts, useRestarts } from "../testing/restarts.ts";
import { ask, askOn, askPermission, say, type Step, update } from "../testing/script.ts";

const newRestarts = useRestarts();

/** A client that follows a session by the number of the last action that it has, from host to host. */
class FollowingClient {
  readonly actions: { readonly seq: number; readonly action: Action }[] = [];
  readonly #restarts: Restarts;
  readonly #key: string;

  constructor(restarts: Restarts, key: string) {
    this.#restarts = restarts;
    this.#key = key;
  }

  /** Reads all that is new in the host that is there. */
  async read(): Promise<void> {
    const after = this.actions.at(-1)?.seq ?? 0;
    await this.#restarts.host.hub.settled();
    const { chat, session } = this.#restarts.host.followSession(this.#key, { after }, ME, () => undefined);
    for (;;) {
      const reading = chat.read();
      if (reading.kind !== "entries" || reading.entries.length === 0) break;
      for (const { serverSeq: seq, action } of reading.entries) {
        if (seq > after) this.actions.push({ seq, action });
      }
    }
    chat.close();
    session.close();
  }
}

function chatOf(restarts: Restarts, key: string): ChatState {
  const uri = defaultChatUri(new FakeSession(restarts.host, key, restarts.heard).state.resource);
  const stored = restarts.storage.loadChannel(uri);
  const state = restarts.host.hub.state(uri, "chat") ?? (stored?.kind === "chat" ? stored.state : undefined);
  return state ?? expect.fail("There is no chat");
}

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** R732 holds runs in this process. */
const keepers = !isLong ? ["process" as const] : (["in-process", "process"] as const);

test.each(keepers)(
  "[R731] a command of 2,000 lines runs through five kills: each line once, in order, and a pending approval works (runs held %s)",
  async (keeper) => {
    const restarts = newRestarts({ keeper });
    await restarts.start();
    const key = await restarts.open({ agent_id: "shell" });
    const client = new FollowingClient(restarts, key);
    const message = "for i in $(seq 1 2000); do echo line $i; [ $((i % 10)) -ne 0 ] || sleep 0.05; done";
    restarts.host.streamTurn(key, { message }, ME, () => undefined);
    const [asked] = await until(() => {
      const questions = restarts.host.approvals.list(ME);
      return questions.length > 0 && questions;
    });
    await restarts.start();
    expect(restarts.host.approvals.list(ME)).toEqual([asked]);
    const approval = asked?.kind === "permission" ? asked.toolCall.approval : expect.fail("no approval");
    const allow = approval.options.find(({ kind }) => kind === "allow_once");
    restarts.host.approvals.resolve(key, { requestId: approval.id, optionId: allow?.id ?? "" }, ME);
    for (let kill = 0; kill < 4; kill += 1) {
      await sleep(300 + Math.random() * 1500);
      await client.read();
      await restarts.kill();
      await sleep(Math.random() * 300);
      await restarts.start();
    }
    await until(() => chatOf(restarts, key).activeTurn === undefined);
    await client.read();
    const lines = Array.from({ length: 2000 }, (_, index) => `line ${index + 1}`);
    const [turn] = chatOf(restarts, key).turns;
    expect(turn?.end).toEqual({ state: "complete", stopReason: "end_turn" });
    const uri = restarts.storage
      .channelsOf(makeSession(restarts, key))
      .find((each) => each.includes("terminal"));
    const spooled = Buffer.from((await restarts.spool.read(uri ?? "", 0, 1_000_000))?.bytes ?? []).toString();
    expect(spooled.trim().split(/\r?\n/)).toEqual(lines);
    const seqs = client.actions.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
    const ends = client.actions.filter(({ action }) => action.type === "chat/turnComplete");
    expect(ends).toHaveLength(1);
  },
  120_000,
);

function makeSession(restarts: Restarts, key: string): Parameters<Restarts["storage"]["channelsOf"]>[0] {
  return new FakeSession(restarts.host, key, restarts.heard).state.resource;
}

/** One piece of an agent's work, whose outcome does not depend on when it happens. */
function workOf(
  kind: "text" | "call" | "permission" | "write" | "read" | "terminal" | "display" | "together",
  index: number,
  work = "",
): Step[] {
  const name = `${kind}${index}`;
  switch (kind) {
    case "text":
      return [
        say(`${name} `),
        say("and "),
        say("more. "),
        update("agent_thought_chunk", { content: { type: "text", text: "hm" } }),
      ];
    case "call":
      return [
        update("tool_call", { toolCallId: name, title: name, kind: "search", status: "in_progress" }),
        update("tool_call_update", { toolCallId: name, status: "completed", rawOutput: { found: index } }),
      ];
    case "permission":
      return [
        askPermission(name, { kind: "execute", title: `run ${name}`, rawInput: { command: `run ${name}` } }),
        update("tool_call_update", { toolCallId: name, status: "completed" }),
      ];
    case "write":
      return [ask(name, "fs/write_text_file", { path: `${work}/${name}.txt`, content: name })];
    case "read":
      return [ask(name, "fs/read_text_file", { path: "/etc/hostname" })];
    case "terminal":
      return [
        update("tool_call", { toolCallId: `${name}call`, title: name, kind: "execute" }),
        ask(name, "terminal/create", {
          command: "sh",
          args: ["-c", `echo ${name}; sleep 0.05; echo out; exit ${index}`],
        }),
        update("tool_call", {
          toolCallId: name,
          title: name,
          kind: "execute",
          status: "in_progress",
          content: [{ type: "terminal", terminalId: `$${name}.terminalId` }],
        }),
        ask(`${name}wait`, "terminal/wait_for_exit", { terminalId: `$${name}.terminalId` }),
        ask(`${name}output`, "terminal/output", { terminalId: `$${name}.terminalId` }),
        update("tool_call_update", { toolCallId: name, status: "completed" }),
        update("tool_call_update", { toolCallId: `${name}call`, status: "completed" }),
        ask(`${name}release`, "terminal/release", { terminalId: `$${name}.terminalId` }),
      ];
    case "display": {
      const report = (meta: object, more: object = {}): Step =>
        update("tool_call_update", { toolCallId: name, ...more, _meta: meta });
      return [
        update("tool_call", {
          toolCallId: name,
          title: name,
          kind: "execute",
          status: "in_progress",
          content: [{ type: "terminal", terminalId: name }],
          _meta: { terminal_info: { terminal_id: name } },
        }),
        report({ terminal_output: { terminal_id: name, data: `${name} one\n` } }),
        { do: "sleep", ms: 20 },
        report({ terminal_output: { terminal_id: name, data: "two\n" } }),
        report({ terminal_exit: { terminal_id: name, exit_code: index } }, { status: "completed" }),
      ];
    }
    case "together":
      return [
        // Inside the session's folder, where nobody is asked: a question would have its place by chance.
        askOn(`${name}a`, "fs/read_text_file", { path: `${work}/none.txt` }),
        say(name),
        askOn(`${name}b`, "session/request_permission", {
          toolCall: { toolCallId: name, title: name, kind: "edit" },
          options: [{ optionId: "ok", name: "OK", kind: "allow_once" }],
        }),
        say("!"),
        { do: "await", name: `${name}a` },
        { do: "await", name: `${name}b` },
      ];
  }
}

interface Outcome {
  readonly chat: unknown;
  readonly heard: readonly string[];
  readonly answers: readonly string[];
  readonly audit: readonly string[];
}

/** Runs the work to its end; after each of `kills` ticks the host is killed and another one started. */
async function run(restarts: Restarts, steps: readonly Step[], kills: readonly number[]): Promise<Outcome> {
  await restarts.start();
  const key = await restarts.open();
  const client = new FollowingClient(restarts, key);
  restarts.host.streamTurn(key, { message: "go" }, ME, () => undefined);
  const left = [...kills];
  let ticks = left.shift() ?? Number.POSITIVE_INFINITY;
  while (chatOf(restarts, key).activeTurn !== undefined || chatOf(restarts, key).turns.length === 0) {
    await nextTick();
    for (const question of restarts.host.approvals.list(ME)) {
      if (question.kind !== "permission") continue;
      const { id, options } = question.toolCall.approval;
      restarts.host.approvals.resolve(key, { requestId: id, optionId: options[0]?.id ?? "" }, ME);
    }
    ticks -= 1;
    if (ticks > 0) continue;
    await client.read();
    await restarts.start();
    ticks = left.shift() ?? Number.POSITIVE_INFINITY;
  }
  await client.read();
  const chat = chatOf(restarts, key);
  const first = client.actions[0]?.action;
  expect(first?.type).toBe("chat/turnStarted");
  const folded = client.actions.reduce<ChatState>(
    (state, { action }) => reduceChat(state, action as Parameters<typeof reduceChat>[1]),
    { ...chat, turns: [], activeTurn: undefined, queuedMessages: [], backgroundWork: [] },
  );
  expect(folded.turns).toEqual(chat.turns);
  const names = steps.flatMap((step) => (step.do === "ask" ? [step.as ?? ""] : []));
  return {
    chat: normalize(chat.turns),
    heard: restarts.heard.methods,
    answers: names.map((name) => `${name} ${JSON.stringify(normalize(restarts.heard.answers(name)))}`),
    audit: restarts.storage.audit
      .read({ limit: 1000 })
      .map(({ entry }) => `${entry.what} ${entry.subject} ${entry.outcome ?? ""} ${entry.exitCode ?? ""}`)
      .map((entry) => entry.replaceAll(restarts.folder, ""))
      .toSorted(),
  };
}

/** A value without what differs from run to run: moments, durations, random ids, folders. */
function normalize(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
      const known = ids.get(id) ?? `id${ids.size}`;
      ids.set(id, known);
      return known;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "moment")
    .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
    .replaceAll(/core-restart-\w+/g, "folder")
    .replaceAll(/fake-\d+-/g, "fake-");
  return JSON.parse(text) as unknown;
}

test("[R732] whatever an agent does and whenever the host is killed: nothing is lost and nothing is doubled", async () => {
  const kinds = fc.constantFrom(
    "text",
    "call",
    "permission",
    "write",
    "read",
    "terminal",
    "display",
    "together",
  );
  const kills = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 5 }), kills, async (work, moments) => {
      const stepsIn = (folder: string): Step[] => work.flatMap((kind, index) => workOf(kind, index, folder));
      const outcomes: Outcome[] = [];
      for (const each of [[], moments]) {
        const restarts = new Restarts({
          keeper: process.env["KILL_KEEPER"] === "process" ? "process" : "in-process",
          script: (folder) => ({ prompts: { "*": stepsIn(folder) } }),
        });
        try {
          outcomes.push(await run(restarts, stepsIn(""), each));
        } finally {
          await restarts.close();
        }
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: Number(process.env["KILL_RUNS"] ?? (isLong ? 5 : 2)), endOnFailure: true },
  );
}, 600_000);

test("[R722] a terminal and the response to the request that created it are stored together", async () => {
  const storage = new MemoryStorage();
  const restarts = newRestarts({
    storage,
    script: {
      prompts: {
        "*": [
          ask("run", "terminal/create", { command: "sh", args: ["-c", "echo ran >> ran; exit 7"] }),
          ask("wait", "terminal/wait_for_exit", { terminalId: "$run.terminalId" }),
        ],
      },
    },
  });
  await restarts.start();
  const key = await restarts.open();
  const commit = storage.journal.commit.bind(storage.journal);
  let isKilled = false;
  // The host is killed right after the first commit that has a terminal.
  const killing = vi.spyOn(storage.journal, "commit").mockImplementation((records) => {
    if (isKilled) return new Promise(() => {});
    isKilled = records.some((record) => record.type === "opened" && record.opened.kind === "terminal");
    return commit(records);
  });
  restarts.host.streamTurn(key, { message: "go" }, ME, () => undefined);
  await until(() => isKilled);
  killing.mockRestore();
  await restarts.start();
  expect((await restarts.heard.answer("run")).error).toBeUndefined();
  await until(() => chatOf(restarts, key).activeTurn === undefined);
  expect(chatOf(restarts, key).turns).toMatchObject([{ end: { state: "complete" } }]);
  expect(restarts.heard.answers("wait")).toEqual([{ result: { exitCode: 7, signal: null } }]);
  expect(readFileSync(path.join(restarts.work, "ran"), "utf8")).toBe("ran\n");
});
