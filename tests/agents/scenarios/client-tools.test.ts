// Tools that an editor lends to real agents: offered by the host's MCP server, called by the scripted model.
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { describe, expect, it, onTestFinished } from "vitest";
import { WireClient } from "../../ahp/wire-client.ts";
import { freePort, type RealHost, startRealHost } from "../../host/real-host.ts";
import { ModelServer } from "../model/model-server.ts";
import { markPrompt } from "../model/script.ts";
import { realAgents } from "../real-agents.ts";

const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const openFile = { name: "openFile", description: "Shows a file to the user.", inputSchema };
const activeClient = { clientId: "editor", tools: [openFile] };

describe.each(realAgents)("$title", (agent) => {
  const session = `${agent.handle}:/lent`;
  const chat = defaultChatUri(makeId("session URI", session));

  it("[E820] [N823] calls a tool that the editor lends, also when its host was killed in between", async () => {
    const model = await ModelServer.start();
    onTestFinished(() => model.close());
    const config = { agents: { [agent.handle]: agent.entry(model.url) } };
    let host = await startRealHost({ config, port: await freePort(), keeper: true });
    onTestFinished(() => host.close());
    const first = await connect(host);
    await first.request("createSession", {
      channel: session,
      provider: agent.handle,
      workingDirectories: [`file://${host.project}`],
      activeClient,
      config: { approvalPolicy: "approve-all" },
    });
    expect(await useTool(first, model, "one")).toContain("The editor shows one.txt.");
    host = await host.restart("SIGKILL");
    const second = await connect(host);
    await second.subscribe(session);
    second.dispatch({ type: "session/activeClientSet", activeClient }, session);
    expect(await useTool(second, model, "two")).toContain("The editor shows two.txt.");
  });

  /** A turn whose model calls the tool, which the editor answers; gives the request with the result. */
  async function useTool(editor: WireClient, model: ModelServer, name: string): Promise<string> {
    await editor.subscribe(chat);
    const call = { tool: "lent", name: "openFile", input: { path: `/${name}.txt` } } as const;
    model.play(name, [{ call }, { text: ["It is open."] }]);
    const message = { text: `${markPrompt(name)} Go ahead.`, origin: { kind: "user" } };
    const turn = { turnId: name, startedAt: new Date().toISOString(), message };
    editor.dispatch({ type: "chat/turnStarted", ...turn }, chat);
    const { action } = await editor.action("chat/toolCallStart", (envelope) =>
      JSON.stringify(envelope).includes('"kind":"client"'),
    );
    const { toolCallId = "" } = action;
    await editor.action(
      "chat/toolCallReady",
      (envelope) => envelope.action.toolCallId === toolCallId && "confirmed" in envelope.action,
    );
    const text = `The editor shows ${name}.txt.`;
    const result = { success: true, pastTenseMessage: "Opened", content: [{ type: "text", text }] };
    editor.dispatch({ type: "chat/toolCallComplete", turnId: name, toolCallId, result }, chat);
    await editor.action("chat/turnComplete");
    return JSON.stringify(model.requests(name)[1]);
  }
});

async function connect({ url, token }: RealHost): Promise<WireClient> {
  const editor = await WireClient.open(`${url.replace(/^http/, "ws")}/ahp?tkn=${token}`);
  onTestFinished(() => editor.close());
  await editor.initialize({ clientId: "editor" });
  return editor;
}
