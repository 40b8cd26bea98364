// Process trees that resist their end: whatever shape they have and however they are ended, none survives.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { AttackHost } from "./attack-host.ts";

const isLong = process.env["HOLDFAST_LONG"] !== undefined;
/** Trees for each shape and way; the long form has 300 trees in all. */
const treesEach = isLong ? 12 : 1;

/** Every process of a tree has this variable, whatever becomes of its parents. */
const mark = "HOLDFAST_ATTACK_TREE";

/** Shell lines; each prints `ready` when its tree stands, and would run for ten minutes. */
const shapes = {
  "double fork": "(sh -c 'sleep 600 & sleep 600' &) ; (sleep 600 &) ; echo ready; sleep 600",
  "new sessions": "setsid sleep 600 & setsid nohup setsid sleep 600 >/dev/null 2>&1 & echo ready; sleep 600",
  "deaf to TERM":
    "trap '' TERM HUP INT QUIT; (while :; do sleep 600; done) & echo ready; while :; do sleep 600; done",
  // Bounded, so that a machine without limits survives the test: 3 + 9 + 27 + 81 + 243 processes at most.
  "fork bomb":
    "bomb() { [ $1 -gt 5 ] && exec sleep 600; for i in 1 2 3; do bomb $(($1 + 1)) & done 2>/dev/null; sleep 600; }; bomb 1 & sleep 0.2; echo ready; sleep 600",
  "memory hog":
    "setsid sh -c 'sleep 600' & echo ready; python3 -c \"x = [bytearray(1 << 20) for _ in range(600)]\" ; sleep 600",
  "escape from its cgroup":
    "for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do echo $$ > $f; done 2>/dev/null; setsid sleep 600 & echo ready; sleep 600",
} as const;

let target: AttackHost;

beforeAll(async () => {
  target = await AttackHost.start({ limits: { command: { processes: 96, memoryMebibytes: 256 } } });
});
afterAll(() => target.close());

/** The live processes of a tree. */
function members(tree: string): number[] {
  const wanted = `${mark}=${tree}\0`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "latin1").includes(wanted) &&
          !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
        );
      } catch {
        // Gone by now.
        return false;
      }
    });
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let round = 0; round < 600; round += 1) {
    if (condition()) return;
    await sleep(50);
  }
  throw new Error(`Not in time: ${what}`);
}

let trees = 0;

/** Starts one tree as a command of a session; gives its name when it stands. */
async function plant(key: string, line: string): Promise<string> {
  trees += 1;
  const tree = `${process.pid}-${trees}`;
  const create = { command: "/bin/sh", args: ["-c", line], env: [{ name: mark, value: tree }] };
  await target.play(key, [{ do: "call", method: "terminal/create", params: create }]);
  await until(() => members(tree).length > 1, `a tree of ${line}`);
  return tree;
}

async function terminalsOf(key: string): Promise<string[]> {
  const { body } = await target.call("GET", "/sdk/acp/terminals");
  const all = body["terminals"] as { id: string; session?: string; claim?: { session?: string } }[];
  return all.filter((terminal) => JSON.stringify(terminal).includes(key)).map(({ id }) => id);
}

/** The ways in which trees end. */
const ways: Record<string, (key: string) => Promise<void>> = {
  "the agent kills the terminal": async (key) => {
    const kills = (await terminalsOf(key)).map((terminalId) => {
      return { do: "call", method: "terminal/kill", params: { terminalId } } as const;
    });
    await target.play(key, kills);
  },
  "a person kills the terminal": async (key) => {
    const kill = (id: string): Promise<unknown> =>
      target.call("POST", `/sdk/acp/terminals/${encodeURIComponent(id)}/kill`);
    await Promise.all((await terminalsOf(key)).map(kill));
  },
  "the session closes": async (key) => {
    await target.call("DELETE", `/sdk/acp/session/${encodeURIComponent(key)}`);
  },
  "the host is killed": async () => {
    const { host } = target;
    const next = await host.restart();
    Object.assign(target, { host: next });
  },
};

/** Probes `/healthz` of the host beside a bare server until stopped, in a separate process. */
async function startProbe(): Promise<{ stop(): Promise<{ host: number; bare: number }> }> {
  const program = fileURLToPath(new URL("health-probe.mjs", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, target.host.url], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout!);
  return {
    stop: async () => {
      child.stdin?.end();
      const [line] = (await once(lines, "line")) as [string];
      return JSON.parse(line) as { host: number; bare: number };
    },
  };
}

for (const [way, end] of Object.entries(ways)) {
  it(
    `[T667] none survives when ${way}`,
    async () => {
      const isProbed = way !== "the host is killed";
      const key = await target.open({ approvalPolicy: "approve-all" });
      const probe = isProbed ? await startProbe() : undefined;
      const planted: string[] = [];
      for (const line of Object.values(shapes)) {
        for (let count = 0; count < treesEach; count += 1) planted.push(await plant(key, line));
      }
      await end(key);
      const survivors = (): number[] => planted.flatMap(members);
      await until(() => survivors().length === 0, `the end of ${planted.length} trees`);
      expect(planted).toHaveLength(Object.keys(shapes).length * treesEach);
      const latency = await probe?.stop();
      if (latency !== undefined && isLong) expect(latency.host).toBeLessThanOrEqual(3 * latency.bare);
    },
    isLong ? 600_000 : 120_000,
  );
}
