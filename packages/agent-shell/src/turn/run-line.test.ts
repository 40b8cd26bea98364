// One command line in a real terminal: the calls, updates and output, and their order.
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ALL_CAPABILITIES } from "../testing/shell-client.ts";
import { makeScratchFolder, useShellClients } from "../testing/shell-fixture.ts";
import type { ShellClient } from "../testing/shell-client.ts";

const folder = makeScratchFolder();
const start = useShellClients();
let client: ShellClient;
let sessionId: string;
beforeAll(async () => {
  client = await start();
});
beforeEach(async () => {
  sessionId = await client.open(folder);
  await client.until(() => client.of(sessionId).length > 0);
  client.log.length = 0;
});

describe("a line", () => {
  it("[S6] is announced, asked for, run in a tty that the tool call shows, reported and released, in this order", async () => {
    expect(await client.prompt(sessionId, "tty -s && pwd")).toEqual({ stopReason: "end_turn" });
    expect(client.log).toEqual([
      "session_info_update",
      "agent_thought_chunk",
      "tool_call pending",
      "session/request_permission",
      "terminal/create",
      "tool_call_update in_progress",
      "terminal/wait_for_exit",
      "terminal/output",
      "tool_call_update completed",
      "agent_message_chunk",
      "terminal/release",
    ]);
    const [call] = client.calls(sessionId);
    expect(call).toMatchObject({
      title: "tty -s && pwd",
      kind: "execute",
      status: "completed",
      rawInput: { command: "tty -s && pwd", cwd: folder },
      rawOutput: { exitCode: 0, signal: null, durationMs: expect.any(Number) as unknown },
      content: [{ type: "terminal", terminalId: expect.any(String) as unknown }],
    });
    const created = client.process.sent.findLast((message) => message.method === "terminal/create");
    expect(created?.params).toMatchObject({
      sessionId,
      command: "tty -s && pwd",
      cwd: folder,
      _meta: { holdfast: { tty: true } },
    });
    expect(client.text(sessionId)).toMatch(
      new RegExp(`^\`\`\`\n${folder}\n\`\`\`\n\nExit code 0 after \\d+ ms\\.$`),
    );
    expect(client.text(sessionId, "agent_thought_chunk")).toBe(`I will run \`tty -s && pwd\` in ${folder}.`);
  });

  it("[S342] names the tool call whose terminal its message repeats", async () => {
    await client.prompt(sessionId, "echo hello");
    const [call] = client.calls(sessionId);
    const said = client.of(sessionId).findLast((update) => update.sessionUpdate === "agent_message_chunk");
    expect(said).toMatchObject({ _meta: { holdfast: { repeatsToolCall: call?.toolCallId } } });
  });

  it("[S6] every chunk has a message id, and a thought another one than a message", async () => {
    await client.prompt(sessionId, "true");
    const ids = client.of(sessionId).flatMap((update) => ("messageId" in update ? [update.messageId] : []));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it("[S8] that fails is a failed tool call with its exit code", async () => {
    expect(await client.prompt(sessionId, "exit 3")).toEqual({ stopReason: "end_turn" });
    expect(client.calls(sessionId)).toMatchObject([
      { status: "failed", rawOutput: { exitCode: 3, signal: null } },
    ]);
    expect(client.text(sessionId)).toMatch(/^No output\.\n\nExit code 3 after /);
  });

  it("[S8] that is killed is a failed tool call with its signal", async () => {
    await client.prompt(sessionId, "kill -KILL $$");
    expect(client.calls(sessionId)).toMatchObject([
      { status: "failed", rawOutput: { exitCode: null, signal: "SIGKILL" } },
    ]);
    expect(client.text(sessionId)).toContain("Ended by SIGKILL after ");
  });

  it("[S8] shows the tail of its output, at most 32 KiB, whole characters, in a fence that holds", async () => {
    await client.prompt(
      sessionId,
      "printf '````\\n'; for i in $(seq 1 3000); do echo \"zeile ä€😀 $i\"; done; printf '```'",
    );
    const text = client.text(sessionId);
    const [, fence = "", body = ""] =
      /^The last 32 KiB of the output:\n(`+)\n([^]*)\n\1\n\nExit code 0/.exec(text) ?? [];
    expect(fence).toBe("````");
    const sizeBytes = Buffer.byteLength(body);
    expect(sizeBytes).toBeGreaterThan(32 * 1024 - 8);
    expect(sizeBytes).toBeLessThanOrEqual(32 * 1024);
    expect(body).toMatch(/zeile ä€😀 3000\n```$/);
    expect(body).not.toContain("�");
  });

  it("[S8] is cut by the agent where the client sends more than it was asked for", async () => {
    client.replies["terminal/output"] = () => ({ output: `${"é".repeat(40_000)}x`, truncated: false });
    await client.prompt(sessionId, "true");
    delete client.replies["terminal/output"];
    expect(client.text(sessionId)).toContain(
      `The last 32 KiB of the output:\n\`\`\`\n${"é".repeat(16_383)}x\n\`\`\`\n`,
    );
  });

  it("[S17] with the option at none only its end is reported", async () => {
    await client.connection.request("session/set_config_option", {
      sessionId,
      configId: "output",
      value: "none",
    });
    await client.prompt(sessionId, "echo secret");
    expect(client.text(sessionId)).toMatch(/^Exit code 0 after \d+ ms\.$/);
  });

  it("[S8] that a person takes over continues without the agent", async () => {
    client.replies["terminal/wait_for_exit"] = () => ({ exitCode: null, signal: null });
    client.replies["terminal/output"] = () => ({ output: "serving\n", truncated: false });
    await client.prompt(sessionId, "true");
    delete client.replies["terminal/wait_for_exit"];
    delete client.replies["terminal/output"];
    expect(client.calls(sessionId)).toMatchObject([{ status: "completed", rawOutput: { exitCode: null } }]);
    expect(client.text(sessionId)).toContain("Still running in the background");
  });
});

describe("a long line", () => {
  it("[N830] runs whole, with the beginning and its size as title", async () => {
    const line = `echo ${"b".repeat(20_000)} | wc -c`;
    await client.prompt(sessionId, line);
    const [call] = client.calls(sessionId);
    expect(call).toMatchObject({ status: "completed", rawInput: { command: line } });
    expect(call?.title).toMatch(/^echo b{300,}… \(20013 bytes\)$/);
    expect(call?.title).toHaveLength(400);
    expect(client.text(sessionId)).toContain("20001\n");
  });

  it("[N830] longer than an argument may be is not run and not asked for, and the next line is", async () => {
    const line = `echo ${"b".repeat(128 * 1024 - 5)}`;
    await client.prompt(sessionId, `${line}\necho next`);
    expect(client.log.filter((entry) => entry === "session/request_permission")).toHaveLength(1);
    const error = "The command has 131072 bytes; the limit is 131071.";
    expect(client.calls(sessionId)).toMatchObject([
      { status: "failed", rawOutput: { error } },
      { status: "completed", rawInput: { command: "echo next" } },
    ]);
    const text = client.text(sessionId);
    expect(text).toContain(`… (131072 bytes)\` was not run. ${error}`);
    expect(text.length).toBeLessThan(1000);
  });
});

describe("what can go wrong", () => {
  it("[S6] a terminal that cannot be created is a failed tool call, and the turn ends well", async () => {
    const gone = await client.open(`${folder}/missing`);
    expect(await client.prompt(gone, "true")).toEqual({ stopReason: "end_turn" });
    expect(client.calls(gone)).toMatchObject([
      { status: "failed", rawOutput: { error: expect.any(String) as unknown } },
    ]);
    expect(client.text(gone)).toContain("`true` could not be run: ");
  });

  it("[S6] a terminal is released also when the client fails at something else", async () => {
    client.replies["terminal/wait_for_exit"] = () => {
      throw new Error("no idea");
    };
    await client.prompt(sessionId, "true");
    delete client.replies["terminal/wait_for_exit"];
    expect(client.log.slice(-3)).toEqual([
      "terminal/release",
      "tool_call_update failed",
      "agent_message_chunk",
    ]);
    expect(client.text(sessionId)).toBe("`true` could not be run: no idea");
  });

  it("[S23] a client without terminals gets an explanation and no terminal request", async () => {
    const poor = await start({ capabilities: { ...ALL_CAPABILITIES, terminal: false } });
    const session = await poor.open(folder);
    expect(await poor.prompt(session, "true")).toEqual({ stopReason: "end_turn" });
    expect(poor.text(session)).toBe(
      "This client offers no terminals to agents, so I cannot run commands here.",
    );
    expect(poor.log).not.toContain("terminal/create");
    expect(poor.calls(session)).toEqual([]);
  });
});
