// The slash commands together: help, usage, a client that offers nothing, and those that need nothing of it.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import { SlashCommands } from "./catalogue.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
let client: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start({ capabilities: {} });
});
beforeEach(async () => {
  sessionId = await client.open(folder);
});

describe("a client that offers nothing", () => {
  it.each([
    ["/read x", "This client does not read files for agents."],
    ["/write x y", "This client does not write files for agents."],
    ["/ask x", "This client cannot ask questions for agents."],
  ])("[S23] %j is answered, and the client is asked nothing", async (text, answer) => {
    expect(await client.prompt(sessionId, text)).toEqual({ stopReason: "end_turn" });
    expect(client.text(sessionId)).toBe(answer);
    expect(
      client.process.sent.filter((message) => message.method !== undefined && message.id !== undefined),
    ).toEqual([]);
  });
});

describe("/sleep and /flood", () => {
  it("[S15] /sleep waits that long without a terminal", async () => {
    const startedAtMs = performance.now();
    await client.prompt(sessionId, "/sleep 0.15");
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(149);
    const [, sleptMs] = /^Slept (\d+) ms\.$/.exec(client.text(sessionId)) ?? [];
    expect(Number(sleptMs)).toBeGreaterThanOrEqual(149);
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
  ])("[S11] %j gets its usage as a reply", async (text) => {
    await client.prompt(sessionId, text);
    expect(client.text(sessionId)).toMatch(/^Usage: \/(sleep|flood) </);
  });
});

describe("help", () => {
  it("[S11] /help and an unknown command list what can be typed", async () => {
    await client.prompt(sessionId, "/help");
    const help = client.text(sessionId);
    const { available } = new SlashCommands({ hasTestCommands: true });
    for (const { name } of available) expect(help).toContain(`\`/${name}`);
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

describe("an agent as people have it", () => {
  it("[S340] neither offers nor runs the commands for tests", async () => {
    const shipped = await start({ isAsShipped: true });
    const session = await shipped.open(folder);
    await shipped.prompt(session, "/help");
    const [announced] = shipped.of(session);
    expect(announced).toMatchObject({ sessionUpdate: "available_commands_update" });
    expect(JSON.stringify(announced)).not.toMatch(/ask|sleep|flood/);
    expect(shipped.text(session)).not.toMatch(/\/(ask|sleep|flood)/);
    for (const name of ["ask", "sleep", "flood"]) {
      const other = await shipped.open(folder);
      await shipped.prompt(other, `/${name} 1`);
      expect(shipped.text(other)).toMatch(new RegExp(`^There is no command /${name}\\.`));
    }
  });
});
