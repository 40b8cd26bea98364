// The heap of a host that runs many commands, in sessions that are followed and in use, and once they are idle.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";
import { expect, it, onTestFinished } from "vitest";
import { viewSession, type SoakHost } from "../soak/viewer.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** The short form has half of the sessions, and half of the bounds of N242. */
const sessionCount = isLong ? 4 : 2;
const mostInUseMiB = sessionCount / 2;
const mostIdleMiB = sessionCount / 4;
const commandsPerTurn = 10;
/** As much as a tool call keeps of its output: with it, ten commands of a turn take 160 KB of its chat. */
const outputBytes = 16_000;
const mebibyte = 1024 * 1024;

it("[N242] commands leave nothing in the heap, in sessions in use and in idle ones", async () => {
  const program = fileURLToPath(new URL("../soak/host-program.mjs", import.meta.url));
  const child = fork(program, {
    // The compiled packages: from source, its start would take a fifth of the test.
    execArgv: ["--expose-gc"],
    env: { ...process.env, SOAK_IDLE_SECONDS: "0.3" },
  });
  onTestFinished(async () => {
    child.send("stop");
    await once(child, "exit");
  });
  const [host] = (await once(child, "message")) as [SoakHost];
  const sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
  const wish = { agent_id: "runner", cwd: "/", approvalPolicy: "approve-all" as const };
  const keys = await Promise.all(
    Array.from({ length: sessionCount }, async () => (await sdk.acpAgent.createSession(wish)).session_key),
  );
  // A chat that somebody follows stays in memory.
  const viewers = await Promise.all(keys.map((key) => viewSession(host, key)));
  const runTurns = (turns: number): Promise<unknown> =>
    Promise.all(
      keys.map(async (key) => {
        for (let turn = 0; turn < turns; turn += 1) {
          await sdk.acpAgent.chat(key, `run ${commandsPerTurn} ${outputBytes}`);
        }
      }),
    );
  const measure = async (): Promise<number> => {
    child.send("measure");
    const [{ usage }] = (await once(child, "message")) as [{ usage: NodeJS.MemoryUsage }];
    return usage.heapUsed / mebibyte;
  };
  const becomeIdle = async (): Promise<void> => {
    child.send("idle");
    await once(child, "message");
  };
  // Code is compiled and optimized; the logs of channels, 1 MiB each, and the finished terminals reach their bounds.
  await runTurns(8);
  const inUse = await measure();
  await runTurns(5);
  expect((await measure()) - inUse).toBeLessThan(mostInUseMiB);
  for (const viewer of viewers) viewer.close();
  await becomeIdle();
  const idle = await measure();
  expect(idle).toBeLessThan(inUse);
  await runTurns(5);
  await becomeIdle();
  expect((await measure()) - idle).toBeLessThan(mostIdleMiB);
}, 180_000);
