// Limits over the app API of a real host, and its health while a command tries to use up the machine.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Holdfast, type TerminalStatus } from "@holdfast/sdk";
import { startHostInProcess } from "./host-in-process.ts";
import type { TestedHost } from "./real-host.ts";

let host: TestedHost;
let sdk: Holdfast;

beforeAll(async () => {
  host = await startHostInProcess({
    config: { limits: { preset: "short-commands", host: { processes: 3000, openTerminals: 4 } } },
  });
  sdk = new Holdfast({ baseUrl: host.url, apiKey: host.token });
});
afterAll(() => host.close());

async function status(id: string): Promise<TerminalStatus | undefined> {
  return (await sdk.terminals.list()).find((terminal) => terminal.id === id);
}

async function healthMs(): Promise<number> {
  const startedMs = performance.now();
  const response = await fetch(`${host.url}/healthz`);
  expect(response.status).toBe(200);
  return performance.now() - startedMs;
}

const bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass";

test("[O660] a host stays responsive during a fork bomb under a limit, and ends it whole", async () => {
  const limits = { processes: 60, cpuCores: 0.5 };
  const { id } = await sdk.terminals.create({ command: "python3", args: ["-c", bomb], kind: "text", limits });
  let slowestMs = 0;
  const untilMs = performance.now() + 2000;
  while (performance.now() < untilMs) slowestMs = Math.max(slowestMs, await healthMs());
  expect(slowestMs).toBeLessThan(2000);
  await sdk.terminals.kill(id);
  const ended = (await status(id))?.lifecycle;
  expect(ended).toMatchObject({ status: "exited", exit: { kind: "signal" } });
  expect(await status(id)).not.toHaveProperty("leftovers");
});

test("[U660][N661] limits of commands and the host hold over the app API", async () => {
  const session = await sdk.acpAgent.createSession({ agent_id: "shell", cwd: host.project });
  const { limits } = await sdk.acpAgent.getSession(session.session_key);
  expect(limits?.map(({ level, name, value }) => [level, name, value])).toEqual([
    ["command", "wall-clock", 300_000],
    ["command", "output", 10 * 1024 * 1024],
    ["host", "processes", 3000],
    ["host", "open-terminals", 4],
  ]);
  const above = { agent_id: "shell", cwd: host.project, limits: { command: { wallClockSeconds: 301 } } };
  await expect(sdk.acpAgent.createSession(above)).rejects.toMatchObject({
    code: "LIMIT_TOO_HIGH",
    status: 403,
    message: expect.stringContaining("Request at most 300, or raise limits.command.wallClockSeconds"),
  });
  const sleeper = { command: "sleep 60", kind: "text" } as const;
  const open = await Promise.all([1, 2, 3, 4].map(() => sdk.terminals.create(sleeper)));
  await expect(sdk.terminals.create(sleeper)).rejects.toMatchObject({ code: "TOO_MANY_TERMINALS" });
  await Promise.all(open.map(({ id }) => sdk.terminals.kill(id)));
});

test("[N660] the exit of a command names the limit that stopped it, and so does the audit", async () => {
  const { id } = await sdk.terminals.create({
    command: "sleep 60",
    kind: "text",
    limits: { wallClockSeconds: 0.3 },
  });
  await expect
    .poll(async () => (await status(id))?.lifecycle, { timeout: 10_000 })
    .toMatchObject({
      status: "exited",
      exit: { limit: { name: "wall-clock", value: 300, unit: "ms", level: "command" } },
    });
  const entries = await sdk.audit.list();
  expect(entries.find(({ what, terminal }) => what === "command-exit" && terminal === id)).toMatchObject({
    subject: "sleep 60",
    outcome: "Stopped: time limit (300 ms)",
  });
});
