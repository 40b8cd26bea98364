// A whole ACP client: starts an agent, gives it Holdfast's terminals, sends one prompt, prints the answer.
// Usage: node --import tsx examples/acp-client.ts "a prompt" agent-program [arguments]
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { AcpTerminals, TerminalError } from "@holdfast/terminal/acp";

const [text = "", program = "", ...args] = process.argv.slice(2);
const cwd = process.cwd();
const terminals = new AcpTerminals({
  cwd,
  allowedRoots: [cwd],
  onEvent: (event) => console.error(`[${event.type}]`, "command" in event ? event.command : event.terminalId),
});

/** Makes a method of ours an SDK handler: the signal passed on, errors with their number. */
function serve<Params extends object, Result>(
  method: (params: Params, options: { signal: AbortSignal }) => Promise<Result>,
) {
  return async ({ params, signal }: { params: Params; signal: AbortSignal }): Promise<Result> =>
    method(params, { signal }).catch((error: unknown) => {
      if (!(error instanceof TerminalError)) throw error;
      throw new acp.RequestError(error.rpcCode, error.message, { code: error.code, field: error.field });
    });
}

const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
const fromAgent = Readable.toWeb(agent.stdout) as ReadableStream<Uint8Array>;
const { client, agent: toAgent } = acp.methods;

await acp
  .client({ name: "holdfast-example" })
  .onNotification(client.session.update, ({ params: { update } }) => {
    if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
    process.stdout.write(update.content.text);
  })
  .onRequest(client.session.requestPermission, ({ params: { options } }) => {
    const optionId = options.find((option) => option.kind === "allow_once")?.optionId;
    return { outcome: optionId ? { outcome: "selected", optionId } : { outcome: "cancelled" } };
  })
  .onRequest(client.terminal.create, serve(terminals.createTerminal.bind(terminals)))
  .onRequest(client.terminal.output, serve(terminals.terminalOutput.bind(terminals)))
  .onRequest(client.terminal.waitForExit, serve(terminals.waitForTerminalExit.bind(terminals)))
  .onRequest(client.terminal.kill, serve(terminals.killTerminal.bind(terminals)))
  .onRequest(client.terminal.release, serve(terminals.releaseTerminal.bind(terminals)))
  .connectWith(acp.ndJsonStream(Writable.toWeb(agent.stdin), fromAgent), async (connection) => {
    const clientCapabilities = { terminal: true };
    await connection.request(toAgent.initialize, { protocolVersion: 1, clientCapabilities });
    const { sessionId } = await connection.request(toAgent.session.new, { cwd, mcpServers: [] });
    await connection.request(toAgent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  });

await terminals.close();
agent.kill();
