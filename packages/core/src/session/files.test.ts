// `fs/*` of an agent: reads and writes in the session's folders, and the quirk that the catalogue knows of one agent.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, say } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

test("[N29] an agent reads lines of a file and writes a new one in a new folder", async () => {
  const steps = [
    ask("read", "fs/read_text_file", { path: "$prompt.text" }),
    ask("lines", "fs/read_text_file", { path: "$prompt.text", line: 2, limit: 1 }),
    ask("missing", "fs/read_text_file", { path: "/no/such/file" }),
    ask("relative", "fs/read_text_file", { path: "a.txt" }),
    ask("noContent", "fs/write_text_file", { path: "$prompt.text" }),
    say("done"),
  ];
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } } });
  const file = path.join(host.work, "a.txt");
  writeFileSync(file, "one\ntwo\nthree\n");
  const session = await host.open({ approvalPolicy: "approve-all" });
  await session.turn(file);
  expect(await session.agent.result("read")).toEqual({ content: "one\ntwo\nthree\n" });
  expect(await session.agent.result("lines")).toEqual({ content: "two\n" });
  expect((await session.agent.answer("missing")).error).toMatchObject({ code: -32002 });
  expect((await session.agent.answer("relative")).error).toMatchObject({ code: -32602 });
  expect((await session.agent.answer("noContent")).error).toMatchObject({ code: -32602 });
  expect(session.text).toBe("done");
});

test("[N29] an agent writes a file and its folders", async () => {
  const steps = [ask("write", "fs/write_text_file", { path: "$prompt.text", content: "hello\n" })];
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } } });
  const file = path.join(host.work, "new", "folder", "a.txt");
  const session = await host.open();
  await session.turn(file);
  expect(await session.agent.result("write")).toEqual({});
  expect(readFileSync(file, "utf8")).toBe("hello\n");
});

test.each([
  ["gemini-cli", "fake-agent", { result: { content: "" } }],
  ["gemini", "fake-agent", { result: { content: "" } }],
  ["mine", "gemini-cli", { error: { code: -32002 } }],
])("[N29] a missing file, read by the agent %s that calls itself %s", async (id, name, expected) => {
  const steps = [ask("read", "fs/read_text_file", { path: "$prompt.text" })];
  const host = newHost({ agents: { [id]: { name, prompts: { "*": steps } } } });
  const session = await host.open();
  await session.turn(path.join(host.work, "none"));
  expect(await session.agent.answer("read")).toMatchObject(expected);
});

test("[N49] a session that is moved in mid-turn works on where it is, and nobody is asked about that", async () => {
  const steps = [
    { do: "until", path: "moved" } as const,
    ask("inside", "fs/write_text_file", { path: "$prompt.text", content: "x" }),
    ask("made", "terminal/create", { command: "pwd" }),
    ask("end", "terminal/wait_for_exit", { terminalId: "$made.terminalId" }),
    ask("where", "terminal/output", { terminalId: "$made.terminalId" }),
  ];
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } } });
  const other = path.join(host.folder, "other");
  mkdirSync(other);
  const session = await host.open();
  const turn = session.stream(path.join(host.work, "a.txt"));
  await session.agent.heard("session/prompt");
  await session.patch({ cwd: other });
  host.pass("moved");
  expect(await session.agent.result("inside")).toEqual({});
  expect(await session.agent.result("where")).toMatchObject({ output: `${host.work}\n` });
  await turn.ended;
  expect(turn.approvals).toEqual([]);
});
