// A host whose storage fails for a while: nothing is acknowledged that is not recorded, and it recovers unaided.
import { existsSync } from "node:fs";
import path from "node:path";
import { makeId, newTerminalState } from "@holdfast/ahp";
import { expect, test, vi } from "vitest";
import type { Journal, Storage } from "../ports.ts";
import { MemoryStorage } from "../testing/memory-storage.ts";
import { StorageError } from "../storage/storage-error.ts";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { type Script, askPermission, ask, say } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const agent: Script = {
  prompts: {
    "*": [say("Hello")],
    long: [say("So far"), { do: "hang" }],
    commands: [
      { do: "until", path: "go" },
      ask("run", "terminal/create", { command: "touch", args: ["ran"] }),
      ask("write", "fs/write_text_file", { path: "/nowhere/written", content: "" }),
      askPermission("rm", { kind: "execute" }),
    ],
  },
};
const agents = { mine: agent };

/** A storage whose disk can be full: for commits, for the audit, or only for new work. */
class FullStorage {
  readonly kept = new MemoryStorage();
  isFull = false;
  isShort = false;
  commits = 0;

  get forHost(): Storage {
    const { kept } = this;
    const journal: Journal = {
      commit: (records) => {
        this.commits += 1;
        if (this.isFull) throw new StorageError("unavailable", "There is no space to write here.db.");
        return kept.journal.commit(records);
      },
      checkRoom: () => {
        if (this.isShort) throw new StorageError("unavailable", "There is no space to write here.db.");
      },
    };
    return new Proxy<Storage>(kept, {
      get: (target, name) => {
        if (name === "journal") return journal;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        return (...args: readonly unknown[]): unknown => Reflect.apply(value, target, args);
      },
    });
  }
}

const unavailable = { code: "STORAGE_UNAVAILABLE", message: expect.stringContaining("here.db") as string };

test("[D260] with too little disk space new work is rejected before it begins, and reads still work", async () => {
  const storage = new FullStorage();
  const fake = newHost({ agents, storage: storage.forHost });
  const session = await fake.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  storage.isShort = true;
  expect(fake.host.recording.problem).toContain("here.db");
  await expect(fake.open()).rejects.toMatchObject(unavailable);
  await expect(session.chat("hi")).rejects.toMatchObject(unavailable);
  expect(session.status.state).toBe("ready");
  expect(session.chatState.turns).toHaveLength(1);
  storage.isShort = false;
  expect(await session.chat("hi")).toMatchObject({ text: "Hello" });
  expect(fake.log.filter((line) => /refused|space again/.test(line))).toHaveLength(2);
});

test("[D260] a command that runs can still be interrupted and killed", async () => {
  const storage = new FullStorage();
  const { host } = newHost({ agents, storage: storage.forHost });
  const script = "trap 'echo interrupted' INT; echo ready; while :; do sleep 0.05; done";
  const { id } = await host.terminals.create({ command: "sh", args: ["-c", script], kind: "text" }, ME);
  const shown = async (text: string): Promise<void> => {
    const read = async () => (await host.terminals.read(id, undefined, ME)).text;
    await vi.waitFor(async () => expect(await read()).toContain(text));
  };
  await shown("ready");
  storage.isShort = true;
  await host.terminals.interrupt(id, ME);
  await shown("interrupted");
  await host.terminals.kill(id, ME);
  storage.isShort = false;
});

test("[D261] a turn that can no longer be recorded fails with the code, its agent is stopped, and queued messages run later", async () => {
  const storage = new FullStorage();
  const fake = newHost({ agents, storage: storage.forHost });
  const { hub, recording } = fake.host;
  const session = await fake.open({ approvalPolicy: "approve-all" });
  const running = session.chat("long").catch((error: unknown) => error);
  await vi.waitFor(() => expect(session.agent.methods).toContain("session/prompt"));
  const waiting = session.chat("hi", { queue: true });
  await hub.settled();
  storage.isFull = true;
  // Any change finds out that nothing can be recorded.
  hub.dispatch(session.state.resource, { type: "session/titleChanged", title: "new" });
  expect(await running).toMatchObject(unavailable);
  await vi.waitFor(() => expect(session.agent.methods).toContain("session/cancel"));
  await expect(session.chat("hi")).rejects.toMatchObject(unavailable);
  await expect(fake.open()).rejects.toMatchObject(unavailable);
  expect(session.chatState.queuedMessages).toHaveLength(1);
  storage.isFull = false;
  await recording.requireNow();
  expect(await waiting).toMatchObject({ text: "Hello" });
  expect(fake.log.filter((line) => /cannot be recorded|recorded again/.test(line))).toHaveLength(2);
});

test("[D261] after an outage the next turn waits until the agent has stopped, and nothing of the failed turn shows in it", async () => {
  const storage = new FullStorage();
  const long = [say("So far"), { do: "until", path: "again" }, say("late"), { do: "hang" }] as const;
  const hi = [{ do: "until", path: "alone" }, say("Hello")] as const;
  const stubborn = { ignoresCancel: true, prompts: { hi, long } };
  const options = { agents: { mine: stubborn }, timeouts: { cancelMs: 1000 } };
  const fake = newHost({ ...options, storage: storage.forHost });
  const { hub, recording } = fake.host;
  const session = await fake.open({ approvalPolicy: "approve-all" });
  const running = session.stream("long");
  await running.until(({ type }) => type === "chat/responsePart");
  const waiting = session.chat("hi", { queue: true });
  await hub.settled();
  storage.isFull = true;
  hub.dispatch(session.state.resource, { type: "session/titleChanged", title: "new" });
  await vi.waitFor(() => expect(session.chatState.activeTurn).toBeUndefined());
  storage.isFull = false;
  await recording.requireNow();
  expect(session.chatState.activeTurn).toBeDefined();
  fake.pass("again");
  await vi.waitFor(() => expect(session.chatState.agentUpdates).toHaveLength(1));
  await until(() => session.agent.processes.length === 2);
  fake.pass("alone");
  expect(await waiting).toEqual({ text: "Hello", stop_reason: "end_turn" });
  expect(session.chatState.turns.map(({ end }) => end.state)).toEqual(["failed", "complete"]);
});

test("[D260] a session that could not be recorded is not there, also when there is space again", async () => {
  const storage = new FullStorage();
  const fake = newHost({ agents, storage: storage.forHost });
  await fake.host.hub.settled();
  storage.isFull = true;
  await expect(fake.open()).rejects.toMatchObject(unavailable);
  expect(fake.host.listSessions(ME)).toEqual([]);
  expect(storage.kept.listSessions().sessions).toEqual([]);
  storage.isFull = false;
  await fake.host.recording.requireNow();
  expect(fake.host.listSessions(ME)).toEqual([]);
});

test("[D262] an agent's action that cannot be put on record is rejected with the code, and nothing was run", async () => {
  const storage = new FullStorage();
  const fake = newHost({ agents, storage: storage.forHost });
  const session = await fake.open({ approvalPolicy: "approve-all" });
  const turn = session.stream("commands");
  await vi.waitFor(() => expect(session.agent.methods).toContain("session/prompt"));
  storage.isShort = true;
  fake.pass("go");
  await turn.ended;
  for (const name of ["run", "write", "rm"]) {
    expect((await session.agent.answer(name)).error).toMatchObject({
      code: -32030,
      message: expect.stringContaining("here.db") as string,
      data: { code: "STORAGE_UNAVAILABLE", retryable: true },
    });
  }
  expect(existsSync(path.join(fake.work, "ran"))).toBe(false);
});

test("[D263] what is published while nothing can be recorded waits in bounded memory", async () => {
  const storage = new FullStorage();
  const fake = newHost({ agents, storage: storage.forHost });
  const { hub, recording } = fake.host;
  const session = await fake.open();
  await hub.settled();
  const uri = "ahp-terminal:/flood";
  const at = new Date(0).toISOString();
  hub.open(
    uri,
    "terminal",
    newTerminalState({
      resource: makeId("terminal URI", uri),
      title: "flood",
      run: "tty",
      startedAt: at,
      claim: { kind: "client", clientId: makeId("client", "me") },
    }),
  );
  await hub.settled();
  storage.isFull = true;
  hub.dispatch(session.state.resource, { type: "session/titleChanged", title: "new" });
  await vi.waitFor(() => expect(recording.isStoring).toBe(false));
  const { commits } = storage;
  const data = "x".repeat(64 * 1024);
  for (let offset = 0; offset < 64 * 1024 * 1024; offset += data.length) {
    hub.dispatch(uri, { type: "terminal/data", data, offset, endOffset: offset + data.length });
  }
  expect(recording.pendingBytes).toBeLessThan(64 * 1024);
  const reading = hub.subscribe(uri).cursor;
  expect(hub.logStart(uri)).toBeGreaterThan(hub.lastSeq - 64);
  reading.close();
  expect(storage.commits - commits).toBeLessThan(3);
  storage.isFull = false;
  await recording.requireNow();
});
