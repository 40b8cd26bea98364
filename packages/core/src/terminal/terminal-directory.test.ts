// Access to terminals, and output that is no longer there.
import { makeId } from "@holdfast/ahp";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask, type Script } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const run = (command: string): NonNullable<Script["prompts"]> => ({
  "*": [ask("made", "terminal/create", { command })],
});
const appA = { kind: "app", appId: makeId("app", "a"), ceiling: { policy: "approve-all" } } as const;
const appB = { kind: "app", appId: makeId("app", "b") } as const;

test("[R9] the terminals of an app are not there for another, nor for itself once its session is closed", async () => {
  const { host, work } = newHost({ agents: { mine: { prompts: run("echo hello; sleep 60") } } });
  const options = { agent_id: "mine", approvalPolicy: "approve-all", cwd: work } as const;
  const { session_key: key } = await host.createSession(options, appA);
  await host.chat(key, { message: "hi" }, appA);
  const [{ id } = { id: "" }] = host.terminals.list(appA);
  expect(host.terminals.list(appA, key)).toHaveLength(1);
  expect(host.terminals.list(appB)).toEqual([]);
  const expectAbsent = async (app: typeof appA | typeof appB): Promise<void> => {
    const absent = { code: "TERMINAL_NOT_FOUND" };
    await expect(host.terminals.read(id, undefined, app)).rejects.toMatchObject(absent);
    await expect(host.terminals.follow(id, undefined, app, () => {})).rejects.toMatchObject(absent);
    await expect(host.terminals.write(id, Buffer.from("x"), app)).rejects.toMatchObject(absent);
    await expect(host.terminals.resize(id, { cols: 80, rows: 24 }, app)).rejects.toMatchObject(absent);
    await expect(host.terminals.kill(id, app)).rejects.toMatchObject(absent);
  };
  await expectAbsent(appB);
  expect(await host.terminals.read(id, undefined, appA)).toMatchObject({ lifecycle: { status: "running" } });
  await host.closeSession(key, undefined, appA);
  await expectAbsent(appA);
  expect(await host.terminals.read(id, undefined, ME)).toMatchObject({ lifecycle: { status: "exited" } });
});

test("[R18] output that is kept nowhere is reported as skipped before the exit, and as cut off", async () => {
  const fake = newHost({ agents: { mine: { prompts: run("echo hello; sleep 60") } } });
  const { host } = fake;
  const session = await fake.open({ approvalPolicy: "approve-all" });
  await session.chat("hi");
  const [{ id } = { id: "" }] = await until(() => {
    const listed = host.terminals.list(ME);
    return listed[0]?.output.endOffset === 6 && listed;
  });
  const feed = await host.terminals.follow(id, 2, ME, () => {});
  await session.close();
  expect(await feed.next()).toEqual({ kind: "skipped", offset: 6, skippedBytes: 4 });
  expect(await feed.next()).toMatchObject({ kind: "exited", endOffset: 6 });
  expect(await feed.next()).toEqual({ kind: "end" });
  feed.close();
  expect(await host.terminals.read(id, undefined, ME)).toMatchObject({
    text: "",
    truncated: true,
    endOffset: 6,
  });
});
