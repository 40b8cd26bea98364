// Tools that an editor lends to real agents: offered by the host's MCP server, called by the scripted model.
import { defaultChatUri, makeId } from "@holdfast/ahp";
import { describe, expect, it, onTestFinished } from "vitest";
import { WireClient } from "../../ahp/wire-client.ts";
import { freePort, startRealHost } from "../../host/real-host.ts";
import { ModelServer } from "../model/model-server.ts";
import { markPrompt } from "../model/script.ts";
import { realAgents } from "../real-agents.ts";

const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const openFile = { name: "openFile", description: "Shows a file to the user.", inputSchema };

describe.each(realAgents)("$title", (agent) => {
  it("[E820] [E821] calls a tool that the editor lends, and its model gets the editor's result", async () => {
    const model = await ModelServer.start();
    onTestFinished(() => model.close());
    const config = { agents: { [agent.handle]: agent.entry(model.url) } };
    const host = await startRealHost({ config, port: await freePort(), keeper: true });
    onTestFinished(() => host.close());
    const editor = await WireClient.open(`${host.url.replace(/^http/, "ws")}/ahp?tkn=${host.token}`);
    onTestFinished(() => editor.close());
    await editor.initialize({ clientId: "editor" });
    const session = `${agent.handle}:/lent`;
    const chat = defaultChatUri(makeId("session URI", session));
    await editor.request("createSession", {
      channel: session,
      provider: agent.handle,
      workingDirectories: [`file://${host.project}`],
      activeClient: { clientId: "editor", tools: [openFile] },
      config: { approvalPolicy: "approve-all" },
    });
    await editor.subscribe(chat);
    const input = { path: "/a.txt" };
    model.play("lent", [{ call: { tool: "lent", name: "openFile", input } }, { text: ["It is open."] }]);
    const message = { text: `${markPrompt("lent")} Go ahead.`, origin: { kind: "user" } };
    const turn = { turnId: "t1", startedAt: new Date().toISOString(), message };
    editor.dispatch({ type: "chat/turnStarted", ...turn }, chat);
    const { action } = await editor.action("chat/toolCallStart", (envelope) =>
      JSON.stringify(envelope).includes('"kind":"client"'),
    );
    const { toolCallId = "" } = action;
    await editor.action(
      "chat/toolCallReady",
      (envelope) => envelope.action.toolCallId === toolCallId && "confirmed" in envelope.action,
    );
    const result = {
      success: true,
      pastTenseMessage: "Opened",
      content: [{ type: "text", text: "The editor shows /a.txt." }],
    };
    const complete = { type: "chat/toolCallComplete", turnId: "t1", toolCallId, result };
    editor.dispatch(complete, chat);
    await editor.action("chat/turnComplete");
    const [, asked] = model.requests("lent");
    expect(JSON.stringify(asked)).toContain("The editor shows /a.txt.");
  });
});
