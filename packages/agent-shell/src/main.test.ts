// The program: how it ends, and what it writes where.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ShellClient } from "./testing/shell-client.ts";
import { ShellProcess } from "./testing/shell-process.ts";
import { makeScratchFolder, useShellClients } from "./testing/shell-fixture.ts";

const folder = makeScratchFolder();
const start = useShellClients();

async function startRunning(): Promise<{ client: ShellClient; sessionId: string; turn: Promise<unknown> }> {
  const client = await start();
  const sessionId = await client.open(folder);
  const turn = client.prompt(sessionId, "sleep 600").catch((error: unknown) => error);
  await client.until(() => client.log.includes("terminal/wait_for_exit"));
  return { client, sessionId, turn };
}

describe("the end", () => {
  it("[S21] at the end of stdin it gives its terminals back and exits with 0 within a second", async () => {
    const { client, turn } = await startRunning();
    const startedAtMs = performance.now();
    client.process.child.stdin.end();
    expect(await client.process.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAtMs).toBeLessThan(1000);
    await turn;
    expect(client.log).toContain("terminal/release");
  });

  it("[S21] at SIGTERM it cancels its turns, answers them, and exits with 0 within a second", async () => {
    const { client, sessionId, turn } = await startRunning();
    const startedAtMs = performance.now();
    client.process.child.kill("SIGTERM");
    expect(await client.process.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAtMs).toBeLessThan(1000);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(client.log).toContain("terminal/kill");
    expect(client.calls(sessionId)).toMatchObject([
      { status: "failed", rawOutput: { signal: expect.stringMatching(/^SIG(TERM|HUP)$/) as unknown } },
    ]);
  });

  it("[S21] at SIGTERM it does not wait for a client that does not answer", async () => {
    const { client } = await startRunning();
    client.replies["terminal/kill"] = () => new Promise(() => undefined);
    const startedAtMs = performance.now();
    client.process.child.kill("SIGTERM");
    expect(await client.process.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - startedAtMs).toBeLessThan(1000);
    expect(client.log).toContain("terminal/release");
  });

  it("[S21] a client that is gone is no fault", async () => {
    const client = await start();
    const sessionId = await client.open(folder);
    client.connection.notify("session/cancel", { sessionId });
    void client.prompt(sessionId, "/flood 1000000 1000").catch(() => undefined);
    await client.until(() => client.log.includes("agent_message_chunk"));
    client.process.child.stdout.destroy();
    expect(await client.process.ended).toEqual({ code: 0, signal: null });
    expect(client.process.stderr).toBe("");
  });
});

describe("what it writes", () => {
  it("[S4] noise on stdin is passed over without a word", async () => {
    const client = await start();
    client.process.child.stdin.write('hello\n\n{"jsonrpc":"2.0","id":99,"result":{}}\n');
    expect(await client.prompt(await client.open(folder), "/help")).toEqual({ stopReason: "end_turn" });
    expect(client.process.stderr).toBe("");
  });

  it("[S1] before the handshake a session is refused", async () => {
    const shell = new ShellProcess();
    const request = { jsonrpc: "2.0", id: 1, method: "session/new", params: { cwd: folder, mcpServers: [] } };
    shell.child.stdin.end(`${JSON.stringify(request)}\n`);
    expect(await shell.ended).toEqual({ code: 0, signal: null });
    expect(shell.sent).toMatchObject([{ id: 1, error: { code: -32600, message: "initialize comes first" } }]);
  });

  it("[S4] a folder that cannot be written to is reported on stderr, and the session continues", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    // Not one of those whose stderr must be quiet.
    const client = await ShellClient.start({ stateFolder: join(file, "state") });
    const sessionId = await client.open(folder);
    expect(await client.prompt(sessionId, "/help")).toEqual({ stopReason: "end_turn" });
    await client.close();
    expect(client.process.stderr).toContain("holdfast-shell: Error: ENOTDIR");
  });
});
