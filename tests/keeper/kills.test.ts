// The host is killed again and again while its agents work: nothing ends, nothing is lost, nothing comes twice.
import { setTimeout as sleep } from "node:timers/promises";
import { Holdfast } from "@holdfast/sdk";
import { expect, it, onTestFinished } from "vitest";
import { ChatViewer } from "../agents/chat-viewer.ts";
import { FollowedTurn } from "../agents/followed-turn.ts";
import { freePort, startRealHost } from "../host/real-host.ts";
import { followByAhp, followByStream } from "./terminal-viewers.ts";
import { terminalOf } from "./workloads.ts";

const kills = 5;
const lines = 400 * kills;
const command = `for i in $(seq 1 ${lines}); do echo line $i; [ $((i % 10)) -ne 0 ] || sleep 0.05; done`;

it(
  `[R700] a turn continues while its host is killed ${kills} times, and every line comes once`,
  { timeout: 120_000 + kills * 30_000 },
  async () => {
    let host = await startRealHost({ keeper: true, port: await freePort() });
    onTestFinished(() => host.close());
    const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token, retry: { attempts: 100 } });
    const open = async (approvalPolicy: "approve-all" | "ask"): Promise<string> => {
      const wish = { agent_id: "shell", cwd: host.project, approvalPolicy };
      return (await sdk.acpAgent.createSession(wish)).session_key;
    };
    const [working, asking] = [await open("approve-all"), await open("ask")];
    const viewer = await ChatViewer.open(host, working);
    onTestFinished(() => viewer.close());
    const turn = new FollowedTurn(sdk.acpAgent.streamChat(working, command));
    const asked = new FollowedTurn(sdk.acpAgent.streamChat(asking, "echo allowed"));
    const { requestId } = await asked.permission();
    const terminalId = await terminalOf(sdk, working);
    const viewers = [followByStream(sdk, terminalId), await followByAhp(host, "kills", terminalId)];
    for (let kill = 0; kill < kills; kill += 1) {
      await sleep(200 + Math.random() * 1500);
      host = await host.restart("SIGKILL");
    }
    const pending = await sdk.approvals.list();
    expect(pending.map((each) => each.requestId)).toEqual([requestId]);
    const option = pending[0]?.options.find(({ kind }) => kind === "allow_once");
    await sdk.acpAgent.resolvePermission(asking, { requestId, optionId: option?.optionId ?? "" });
    expect(await asked.ended()).toBe("end_turn");
    expect(await turn.ended()).toBe("end_turn");
    expect((await viewer.turn("seq 1")).end).toBe("end_turn");
    const { text } = await sdk.terminals.output(terminalId);
    const expected = Array.from({ length: lines }, (_, index) => `line ${index + 1}`);
    const linesOf = (shown: string): string[] =>
      shown.split(/\r?\n/).filter((line) => line.startsWith("line "));
    expect(linesOf(text)).toEqual(expected);
    const viewed = await Promise.all(viewers.map(async ({ text: shown }) => linesOf(await shown)));
    expect(viewed).toEqual([expected, expected]);
    const ends = turn.events.filter(({ type }) => type === "done");
    expect(ends).toHaveLength(1);
  },
);
