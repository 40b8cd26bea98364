// `fs/*` of an agent: reads and writes in the session's folders, and the quirk that the catalogue knows of one agent.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ALLOWED } from "../audit/audit.ts";
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

const writeStep = ask("write", "fs/write_text_file", { path: "$prompt.text", content: "mine" });

test("[N678] a write to a file with a further name is asked about, also inside the folder; a read is not", async () => {
  const host = newHost({
    agents: {
      mine: { prompts: { "*": [ask("read", "fs/read_text_file", { path: "$prompt.text" }), writeStep] } },
    },
  });
  const outside = path.join(host.folder, "outside.txt");
  const twin = path.join(host.work, "twin.txt");
  writeFileSync(outside, "untouched");
  linkSync(outside, twin);
  const session = await host.open();
  const turn = session.stream(twin);
  const { id, target } = await turn.approval();
  expect(target).toBe(twin);
  expect(await session.agent.result("read")).toEqual({ content: "untouched" });
  session.resolve(id, "reject");
  await turn.ended;
  expect(readFileSync(outside, "utf8")).toBe("untouched");
});

test("[N679] a session's own folder that is exchanged for a link is not followed", async () => {
  const host = newHost({ agents: { mine: { prompts: { "*": [writeStep] } } } });
  const session = await host.open();
  const [outside, away] = [path.join(host.folder, "outside"), path.join(host.folder, "away")];
  mkdirSync(outside);
  renameSync(host.work, away);
  symlinkSync(outside, host.work);
  try {
    const turn = session.stream(path.join(host.work, "a.txt"));
    const { id, target } = await turn.approval();
    expect(target).toBe(`${path.join(outside, "a.txt")} (${path.join(host.work, "a.txt")})`);
    session.resolve(id, "reject");
    await turn.ended;
    expect((await session.agent.answer("write")).error).toMatchObject({ data: { code: "denied" } });
  } finally {
    rmSync(host.work);
    renameSync(away, host.work);
  }
});

test("[V675] every file that an agent reads is on record, inside the folder too, with what went wrong", async () => {
  const steps = [ask("read", "fs/read_text_file", { path: "$prompt.text" })];
  const host = newHost({ agents: { mine: { prompts: { "*": steps } } } });
  const file = path.join(host.work, "a.txt");
  writeFileSync(file, "one");
  const session = await host.open();
  await session.turn(file);
  await session.turn(`${file}.none`);
  const common = { what: "file-read", session: session.key, by: "session folder", ...ALLOWED };
  expect(host.host.audit.recent).toMatchObject([
    { ...common, subject: file, outcome: "done" },
    { ...common, subject: `${file}.none`, outcome: expect.stringContaining("No such file") as string },
  ]);
});
