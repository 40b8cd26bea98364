// How a prompt is read: its lines, slash commands and blocks.
import { beforeAll, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import { readPrompt, readTask } from "./prompt.ts";
import type { ShellClient } from "../testing/shell-client.ts";

describe("the text of a prompt", () => {
  it.each([
    ["ls", { kind: "lines", lines: ["ls"] }],
    ["  ls -l \r\n\r\n# a comment\n\tpwd", { kind: "lines", lines: ["ls -l", "pwd"] }],
    ["echo a \\\n  b\nls", { kind: "lines", lines: ["echo a   b", "ls"] }],
    ["echo a\\\\\nls", { kind: "lines", lines: ["echo a\\\\", "ls"] }],
    ["/bin/ls /", { kind: "lines", lines: ["/bin/ls /"] }],
    ["ls\n/help", { kind: "lines", lines: ["ls", "/help"] }],
    ["/help", { kind: "slash", name: "help", input: "" }],
    [" /write a\nb\n\nc ", { kind: "slash", name: "write", input: " a\nb\n\nc " }],
    ["/", { kind: "lines", lines: ["/"] }],
    ["", { kind: "nothing" }],
    ["\n # x\n", { kind: "nothing" }],
  ])("[S5] %j", (text, task) => {
    expect(readTask(text)).toEqual(task);
  });
});

describe("the blocks of a prompt", () => {
  it("[S5] only text is run; the rest is mentioned", () => {
    const prompt = [
      { type: "text", text: "echo 1", annotations: null },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "rm -rf /" } },
      { type: "resource", resource: { uri: "file:///c", blob: "AA==" } },
      { type: "text", text: "echo 2" },
    ];
    expect(readPrompt({ prompt })).toMatchObject({
      text: "echo 1\necho 2",
      mentions: ["file:///a", "file:///b", "file:///c"],
    });
  });

  it.each([
    [undefined, "prompt"],
    [["x"], "prompt[0]"],
    [[{ type: "text" }], "prompt[0].text"],
    [[{ type: "image", data: "", mimeType: "image/png" }], "prompt[0].type"],
    [[{ type: "audio", data: "", mimeType: "audio/wav" }], "prompt[0].type"],
    [[{ type: "resource", resource: { uri: "file:///a" } }], "prompt[0].resource"],
  ])("[S5] %j is refused", (prompt, field) => {
    expect(() => readPrompt({ prompt })).toThrow(
      expect.objectContaining({ code: -32602, data: { field } }) as Error,
    );
  });
});

describe("a turn", () => {
  const folder = makeScratchFolder();
  const start = useShellClients();
  let client: ShellClient;
  beforeAll(async () => {
    client = await start();
  });

  it("[S5] names what was mentioned in its thought", async () => {
    const sessionId = await client.open(folder);
    const prompt = [
      { type: "text", text: "true" },
      { type: "resource_link", uri: "file:///tmp/a", name: "a" },
    ];
    await client.connection.request("session/prompt", { sessionId, prompt });
    expect(client.text(sessionId, "agent_thought_chunk")).toBe(
      `I will run \`true\` in ${folder}. Mentioned, not run: file:///tmp/a.`,
    );
  });

  it("[S22] the first command names the session, once", async () => {
    const sessionId = await client.open(folder);
    await client.prompt(sessionId, `echo ${"é".repeat(100)}`);
    await client.prompt(sessionId, "/help");
    const titles = client.of(sessionId).filter((update) => update.sessionUpdate === "session_info_update");
    expect(titles).toMatchObject([
      { title: `echo ${"é".repeat(75)}`, updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) as unknown },
    ]);
    const other = await client.open(folder);
    await client.prompt(other, " /sleep  0 ");
    expect(client.of(other)).toContainEqual(expect.objectContaining({ title: "/sleep 0" }));
  });
});
