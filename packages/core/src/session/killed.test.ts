// An agent that is killed at a random moment: no turn hangs, nothing is left, the session continues.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../testing/agent-record.ts";
import { guardLeaks, isAlive, uniqueSeconds, untilGone } from "../testing/detector.ts";
import { useFakeHosts } from "../testing/fake-host.ts";
import { ask, askPermission, say, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

const turns = process.env["HOLDFAST_LONG"] === undefined ? 15 : 100;
/** Within this time the agent shakes hands and gets to work. */
const longestMs = 80;

test(`[N15] ${turns} turns with an agent killed at a random moment`, { timeout: turns * 4000 }, async () => {
  const seconds = uniqueSeconds();
  const work: Step[] = Array.from({ length: 40 }, (_, index): Step[] => [
    say(`step ${index} `),
    askPermission(`call-${index}`, { kind: "execute", title: "sleep" }),
    ask(`made-${index}`, "terminal/create", { command: `sleep ${seconds}` }),
    update("tool_call_update", {
      toolCallId: `call-${index}`,
      content: [{ type: "terminal", terminalId: `$made-${index}.terminalId` }],
    }),
    { do: "sleep", ms: 2 },
  ]).flat();
  const script = {
    capabilities: { loadSession: true },
    children: `setsid sleep ${seconds} & sleep ${seconds}`,
    prompts: { work: [...work, { do: "hang" } as const] },
  };
  const host = newHost({ agents: { mine: script }, timeouts: { killGraceMs: 200 } });
  const session = await host.open({ approvalPolicy: "approve-all" });
  const ends: string[] = [];
  for (let index = 0; index < turns; index += 1) {
    const turn = session.stream("work");
    const { pid } = await until(() => session.agent.processes.findLast((each) => isAlive(each.pid)));
    // Where agents start slowly, every second one would else be killed before it works.
    if (index % 2 === 0) await until(() => session.chatState.activeTurn && session.toolCalls.at(-1));
    await sleep(Math.random() * longestMs);
    process.kill(pid, "SIGKILL");
    const end = await turn.ended;
    ends.push(end.type === "chat/error" ? end.error.code : end.type);
  }
  const strange = ends.filter((end) => end !== "ACP_AGENT_EXITED" && end !== "ACP_SESSION_INIT_FAILED");
  expect(strange).toEqual([]);
  expect(ends.filter((end) => end === "ACP_AGENT_EXITED").length).toBeGreaterThan(turns / 3);
  expect(session.chatState.activeTurn).toBeUndefined();
  expect(session.state.inputNeeded).toEqual([]);
  expect(await session.chat("after")).toMatchObject({ stop_reason: "end_turn" });
  await session.close();
  expect(await untilGone(seconds)).toEqual([]);
  expect(host.host.hub.list("terminal")).toEqual([]);
});
