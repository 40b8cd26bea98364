// The slash commands, against real files and a real client.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ALL_CAPABILITIES } from "../testing/shell-client.ts";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import { listAvailableCommands } from "./catalogue.ts";
import type { Params } from "../testing/client-replies.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
const path = join(folder, "a b.txt");
let client: ShellClient;
let poor: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start();
  poor = await start({ capabilities: {} });
});
beforeEach(async () => {
  writeFileSync(path, "one\ntwo\nthree\nfour\n");
  client.permission = () => ({ outcome: "selected", optionId: "write-it" });
  sessionId = await client.open(folder);
});

describe("/read", () => {
  it("[S12] shows a file in a tool call of kind read with its place, and as a message", async () => {
    await client.prompt(sessionId, '/read "a b.txt"');
    const text = "```\none\ntwo\nthree\nfour\n```";
    expect(client.calls(sessionId)).toMatchObject([
      {
        kind: "read",
        status: "completed",
        locations: [{ path }],
        rawInput: { path },
        rawOutput: { sizeBytes: 19 },
        content: [{ type: "content", content: { type: "text", text } }],
      },
    ]);
    expect(client.text(sessionId)).toBe(text);
  });

  it("[S12] of some lines only asks for these", async () => {
    await client.prompt(sessionId, `/read '${path}' 2 2`);
    expect(client.text(sessionId)).toBe("```\ntwo\nthree\n```");
    expect(client.calls(sessionId)).toMatchObject([
      { locations: [{ path, line: 2 }], rawInput: { path, line: 2, limit: 2 } },
    ]);
  });

  it("[S12] of a missing file fails and says why", async () => {
    expect(await client.prompt(sessionId, "/read nothing")).toEqual({ stopReason: "end_turn" });
    expect(client.calls(sessionId)).toMatchObject([
      { status: "failed", rawOutput: { error: "No such file" } },
    ]);
    expect(client.text(sessionId)).toContain("could not be read: No such file");
  });

  it.each(["/read", "/read a 0", "/read a x", "/read a 1 -1", "/read a 1 2 3"])(
    "[S12] %j is told how it is used",
    async (text) => {
      await client.prompt(sessionId, text);
      expect(client.text(sessionId)).toBe("Usage: /read <path> [line] [limit]");
      expect(client.calls(sessionId)).toEqual([]);
    },
  );

  it("[S12] with the option at none only its size is told", async () => {
    await client.connection.request("session/set_config_option", {
      sessionId,
      configId: "output",
      value: "none",
    });
    await client.prompt(sessionId, `/read "${path}"`);
    expect(client.text(sessionId)).toBe(`Read 19 bytes of \`${path}\`.`);
  });
});

describe("/write", () => {
  it("[S13] shows the difference, asks, then writes exactly what was typed", async () => {
    let asked: Params<"session/request_permission"> | undefined;
    client.permission = (params) => {
      asked = params;
      expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\nfour\n");
      return { outcome: "selected", optionId: "write-it" };
    };
    await client.prompt(sessionId, `/write "${path}"\n  ein\nzwei é`);
    expect(readFileSync(path, "utf8")).toBe("  ein\nzwei é");
    const diff = { type: "diff", path, oldText: "one\ntwo\nthree\nfour\n", newText: "  ein\nzwei é" };
    expect(asked).toMatchObject({
      toolCall: { kind: "edit", status: "pending", content: [diff] },
      options: [{ kind: "allow_once" }, { kind: "allow_always" }, { kind: "reject_once" }],
    });
    expect(asked?.options.map((option) => option.optionId)).toEqual([
      "write-it",
      "write-all-from-now",
      "keep-as-is",
    ]);
    expect(client.calls(sessionId)).toMatchObject([
      { kind: "edit", status: "completed", locations: [{ path }], rawInput: { path }, content: [diff] },
    ]);
    expect(client.text(sessionId)).toBe(`Wrote 13 bytes to \`${path}\`.`);
  });

  it("[S13] makes a new file, and its difference has no old text", async () => {
    await client.prompt(sessionId, "/write new.txt hello world");
    expect(readFileSync(join(folder, "new.txt"), "utf8")).toBe("hello world");
    expect(client.calls(sessionId)).toMatchObject([
      { content: [{ type: "diff", oldText: null, newText: "hello world" }] },
    ]);
  });

  it("[S13] rejected leaves the file as it is", async () => {
    client.permission = () => ({ outcome: "selected", optionId: "keep-as-is" });
    await client.prompt(sessionId, `/write "${path}" other`);
    expect(readFileSync(path, "utf8")).toBe("one\ntwo\nthree\nfour\n");
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed" }]);
    expect(client.text(sessionId)).toContain("was not written: it was rejected.");
  });

  it("[S13] allowed for good covers writes, but no commands", async () => {
    const asked: (string | undefined)[] = [];
    client.permission = ({ toolCall }) => {
      asked.push(toolCall.kind);
      return { outcome: "selected", optionId: toolCall.kind === "edit" ? "write-all-from-now" : "leave-it" };
    };
    for (const text of ["/write x 1", "/write y 2", "echo hi"]) await client.prompt(sessionId, text);
    expect(asked).toEqual(["edit", "execute"]);
  });

  it("[S13] a file that cannot be read or written is told of", async () => {
    mkdirSync(join(folder, "place"), { recursive: true });
    await client.prompt(sessionId, "/write place text");
    expect(client.text(sessionId, "agent_thought_chunk")).toContain("The old text could not be read: ");
    expect(client.calls(sessionId)).toMatchObject([{ status: "failed" }]);
    expect(client.text(sessionId)).toContain("could not be written: ");
  });
});

describe("/ask", () => {
  it("[S14] is a form with one line, and the answer is repeated", async () => {
    let asked: unknown;
    client.elicitation = (params) => {
      asked = params;
      return { action: "accept", content: { answer: "blue" } };
    };
    await client.prompt(sessionId, "/ask Which colour?");
    expect(asked).toEqual({
      sessionId,
      mode: "form",
      message: "Which colour?",
      requestedSchema: {
        type: "object",
        properties: { answer: { type: "string", title: "Answer" } },
        required: ["answer"],
      },
    });
    expect(client.text(sessionId)).toBe("You answered:\n```\nblue\n```");
  });

  it.each([
    ["decline", "You declined to answer."],
    ["cancel", "You dismissed the question."],
    ["accept", "You sent no answer."],
  ])("[S14] %s is told as what it is", async (action, text) => {
    client.elicitation = () => ({ action });
    expect(await client.prompt(sessionId, "/ask really?")).toEqual({ stopReason: "end_turn" });
    expect(client.text(sessionId)).toBe(text);
  });
});

describe("a client that offers nothing", () => {
  it.each([
    ["/read x", "This client does not read files for agents."],
    ["/write x y", "This client does not write files for agents."],
    ["/ask x", "This client cannot ask questions for agents."],
  ])("[S23] %j is answered, and the client is asked nothing", async (text, answer) => {
    const session = await poor.open(folder);
    expect(await poor.prompt(session, text)).toEqual({ stopReason: "end_turn" });
    expect(poor.text(session)).toBe(answer);
    expect(
      poor.process.sent.filter((message) => message.method !== undefined && message.id !== undefined),
    ).toEqual([]);
  });

  it("[S13] that writes but does not read shows a difference without the old text, and says so", async () => {
    const writer = await start({ capabilities: { ...ALL_CAPABILITIES, fs: { writeTextFile: true } } });
    writer.permission = () => ({ outcome: "selected", optionId: "write-it" });
    const session = await writer.open(folder);
    await writer.prompt(session, `/write "${path}" new`);
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(writer.calls(session)).toMatchObject([{ content: [{ oldText: null }] }]);
    expect(writer.text(session, "agent_thought_chunk")).toContain("does not show the old text");
  });
});

describe("/sleep and /flood", () => {
  it("[S15] /sleep waits that long without a terminal", async () => {
    const startedAtMs = performance.now();
    await client.prompt(sessionId, "/sleep 0.15");
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(149);
    expect(client.text(sessionId)).toMatch(/^Slept 1\d\d ms\.$/);
    expect(client.calls(sessionId)).toEqual([]);
  });

  it("[S16] /flood sends that many chunks of that size, in order, in one message", async () => {
    await client.prompt(sessionId, "/flood 2000 80");
    const chunks = client
      .of(sessionId)
      .flatMap((update) => (update.sessionUpdate === "agent_message_chunk" ? [update] : []));
    const sent = chunks.slice(0, -1);
    const texts = sent.map(({ content }) => (content.type === "text" ? content.text : ""));
    expect(texts.map((text) => Number(text.split(" ")[0]))).toEqual(
      Array.from({ length: 2000 }, (_, index) => index),
    );
    expect(new Set(texts.map((text) => text.length))).toEqual(new Set([80]));
    expect(new Set(sent.map((chunk) => chunk.messageId)).size).toBe(1);
    expect(chunks.at(-1)).toMatchObject({
      content: { text: expect.stringMatching(/^Sent 2000 chunks of 80 bytes in /) as unknown },
    });
  });

  it.each([
    "/sleep",
    "/sleep x",
    "/sleep -1",
    "/sleep 86401",
    "/flood",
    "/flood x",
    "/flood 1 0",
    "/flood 1 2 3",
  ])("[S11] %j is told how it is used", async (text) => {
    await client.prompt(sessionId, text);
    expect(client.text(sessionId)).toMatch(/^Usage: \/(sleep|flood) </);
  });
});

describe("help", () => {
  it("[S11] /help and an unknown command list what can be typed", async () => {
    await client.prompt(sessionId, "/help");
    const help = client.text(sessionId);
    for (const { name } of listAvailableCommands()) expect(help).toContain(`\`/${name}`);
    const other = await client.open(folder);
    await client.prompt(other, "/deploy now");
    expect(client.text(other)).toBe(`There is no command /deploy.\n\n${help}`);
    expect(client.calls(other)).toEqual([]);
  });

  it("[S5] a prompt without a command is answered with it as well", async () => {
    expect(await client.prompt(sessionId, " \n# nothing\n")).toEqual({ stopReason: "end_turn" });
    expect(client.text(sessionId)).toContain("Type a command line");
  });
});
