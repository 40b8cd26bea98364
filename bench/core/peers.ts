// Peers for comparison: the official SDK's client, and a bare handshake.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

/** How an agent is started. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Updates a second through the official SDK's client, its update handler registered first as is best for it. */
export async function sdkUpdatesPerSecond({ command, args }: AgentCommand, updates: number): Promise<number> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const fromAgent = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  const progress = { seen: 0 };
  let tookMs = 0;
  const { agent, client } = acp.methods;
  await acp
    .client({ name: "bench" })
    .onNotification(client.session.update, ({ params: { update } }) => {
      if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text") {
        progress.seen += 1;
      }
    })
    .connectWith(acp.ndJsonStream(Writable.toWeb(child.stdin), fromAgent), async (connection) => {
      await connection.request(agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
      const { sessionId } = await connection.request(agent.session.new, { cwd: "/", mcpServers: [] });
      const startedMs = performance.now();
      await connection.request(agent.session.prompt, {
        sessionId,
        prompt: [{ type: "text", text: `flood ${updates}` }],
      });
      while (progress.seen < updates) await new Promise((resolve) => setImmediate(resolve));
      tookMs = performance.now() - startedMs;
    });
  child.kill();
  return (updates / tookMs) * 1000;
}

/** Milliseconds from the fork to the answer of `session/new`, with nothing but a pipe and JSON between. */
export async function bareHandshakeMs({ command, args }: AgentCommand, cwd: string): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], cwd });
  const ask = (id: number, method: string, params: object): void =>
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  ask(1, "initialize", { protocolVersion: 1, clientCapabilities: {} });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id } = JSON.parse(line) as { id: number };
    if (id === 2) break;
    ask(2, "session/new", { cwd, mcpServers: [] });
  }
  const tookMs = performance.now() - startedMs;
  child.kill();
  return tookMs;
}
