// Turns of real agents with a scripted model: streamed text, permissions, commands, files and cancellation.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { uniqueSeconds, untilGone } from "../../../packages/core/src/testing/detector.ts";
import { AgentHost, makeGate } from "../agent-host.ts";
import { realAgents } from "../real-agents.ts";

describe.each(realAgents)("$title", (agent) => {
  let host: AgentHost;

  beforeAll(async () => {
    host = await AgentHost.start(agent);
  });

  afterAll(() => host.close());

  it("[N730] text reaches both clients as the model streams it, complete and once", async () => {
    const gate = makeGate();
    const turn = host.prompt("text", [{ text: ["one ", { until: gate.opened }, "two ", "three"] }]);
    await turn.untilText("one ");
    expect(turn.text).toBe("one ");
    gate.open();
    expect(await turn.ended()).toBe("end_turn");
    expect(turn.text).toBe("one two three");
    expect(await host.viewer.turn(turn.prompt)).toEqual({ end: "end_turn", text: "one two three" });
    expect(host.model.requests(turn.prompt)).toHaveLength(1);
  });

  it("[N731] a command waits for its permission, and runs once when it is allowed over HTTP", async () => {
    const line = "echo ran >> allowed.txt";
    const turn = host.prompt("allowed", [
      { text: ["I run it. "], call: { tool: "command", line } },
      { text: ["Done."] },
    ]);
    const permission = await turn.permission();
    expect(permission).toMatchObject({ action: "execute", target: line, subject: { kind: "command", line } });
    expect(host.read("allowed.txt")).toBeUndefined();
    const option = permission.options.find(({ kind }) => kind === "allow_once");
    expect(await host.decide(permission.requestId, option?.optionId ?? "")).toMatchObject({ resolved: true });
    expect(await turn.ended()).toBe("end_turn");
    expect(turn.text).toBe("I run it. Done.");
    expect(host.read("allowed.txt")).toBe("ran\n");
    expect(turn.events.filter(({ type }) => type === "permission_request")).toHaveLength(1);
    expect((await host.viewer.turn(turn.prompt)).text).toBe("I run it. Done.");
  });

  it("[N731] a command that is denied does not run, and the turn ends", async () => {
    const line = "echo ran >> denied.txt";
    const turn = host.prompt("denied", [{ call: { tool: "command", line } }, { text: ["So be it."] }]);
    const permission = await turn.permission();
    const option = permission.options.find(({ kind }) => kind === "reject_once");
    await host.decide(permission.requestId, option?.optionId ?? "");
    expect(await turn.ended()).toBe("end_turn");
    expect(host.read("denied.txt")).toBeUndefined();
  });

  it("[N731] a file is written once its permission is given", async () => {
    const call = { tool: "write", path: host.file("note.txt"), content: "hello\n" } as const;
    const turn = host.prompt("write", [{ call }, { text: ["Written."] }]);
    const permission = await turn.permission();
    expect(permission.subject).toMatchObject({ kind: "write", files: [{ path: call.path }] });
    expect(host.read("note.txt")).toBeUndefined();
    const option = permission.options.find(({ kind }) => kind === "allow_once");
    await host.decide(permission.requestId, option?.optionId ?? "");
    expect(await turn.ended()).toBe("end_turn");
    expect(host.read("note.txt")).toBe("hello\n");
  });

  it("[N732] a turn cancelled while text streams ends as cancelled, and the next one runs", async () => {
    const gate = makeGate();
    const turn = host.prompt("cancel", [{ text: ["begun ", { until: gate.opened }, "never"] }]);
    await turn.untilText("begun ");
    await host.sdk.acpAgent.cancelTurn(host.sessionKey);
    expect(await turn.ended()).toBe("cancelled");
    expect(turn.text).toBe("begun ");
    await expect.poll(() => host.model.requests(turn.prompt).map(({ answer }) => answer)).toEqual(["cut"]);
    gate.open();
    const next = host.prompt("after-cancel", [{ text: ["Still here."] }]);
    expect(await next.ended()).toBe("end_turn");
    expect(next.text).toBe("Still here.");
  });

  it("[N732] a turn cancelled while a permission waits leaves no approval, and nothing runs", async () => {
    const line = "echo ran >> cancelled.txt";
    const turn = host.prompt("cancel-permission", [{ call: { tool: "command", line } }, { text: ["Done."] }]);
    await turn.permission();
    await host.sdk.acpAgent.cancelTurn(host.sessionKey);
    expect(await turn.ended()).toBe("cancelled");
    expect(await host.sdk.approvals.list()).toEqual([]);
    expect(host.read("cancelled.txt")).toBeUndefined();
  });

  it("[N732] a turn cancelled while a command runs ends the command", async () => {
    const seconds = uniqueSeconds();
    const line = `echo ran >> started.txt; sleep ${seconds}`;
    const turn = host.prompt("cancel-command", [{ call: { tool: "command", line } }, { text: ["Done."] }]);
    const permission = await turn.permission();
    const option = permission.options.find(({ kind }) => kind === "allow_once");
    await host.decide(permission.requestId, option?.optionId ?? "");
    await expect.poll(() => host.read("started.txt")).toBe("ran\n");
    await host.sdk.acpAgent.cancelTurn(host.sessionKey);
    expect(await turn.ended()).toBe("cancelled");
    expect(await untilGone(seconds)).toEqual([]);
  });

  it("[N733] the output of a command is visible while it runs", async () => {
    const line = "echo first; until [ -e go ]; do sleep 0.1; done; echo second";
    const turn = host.prompt("live", [{ call: { tool: "command", line } }, { text: ["Done."] }]);
    const permission = await turn.permission();
    const option = permission.options.find(({ kind }) => kind === "allow_once");
    await host.decide(permission.requestId, option?.optionId ?? "");
    if (agent.runsCommands === "host") {
      const output = (): Promise<string[]> => outputs(host);
      await expect.poll(output).toContain("first\n");
      host.write("go", "");
      expect(await turn.ended()).toBe("end_turn");
      expect(await output()).toContain("first\nsecond\n");
    } else {
      await turn.untilToolShows("first");
      host.write("go", "");
      expect(await turn.ended()).toBe("end_turn");
      expect(JSON.stringify(turn.events)).toContain("second");
    }
    const [, answered] = host.model.requests(turn.prompt);
    expect(answered?.messages.at(-1)?.text).toContain("first\nsecond");
  });

  it("[G730] what it tries to reach besides the model is known, and gets nothing", () => {
    expect(host.model.faults).toEqual([]);
    expect(host.model.outside.filter((address) => !agent.knownAddresses.includes(address))).toEqual([]);
  });
});

async function outputs({ sdk, sessionKey }: AgentHost): Promise<string[]> {
  const terminals = await sdk.terminals.list({ sessionKey });
  return Promise.all(terminals.map(async ({ id }) => (await sdk.terminals.output(id)).text));
}
