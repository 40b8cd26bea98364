// Process trees that resist their end: whatever shape they have and however they are ended, none survives.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackHost } from "./attack-host.ts";
import { attackSettings, isLong, optionsOf } from "./attack-settings.ts";
import type { HostileStep } from "./hostile-step.ts";
import { bombDepth, DEPTH_VARIABLE, liveTrees, SHAPES, TREE_VARIABLE, treeLimits } from "./hostile-trees.ts";

/** Trees of each shape for each way and isolation; the long form has 6 × 5 × 2 × 5 = 300 in all. */
const treesEach = isLong ? 5 : 1;
const isolations = isLong ? (["guard", "none"] as const) : (["none"] as const);

let target: AttackHost;

interface Planted {
  readonly key: string;
  readonly terminals: readonly string[];
}

/** The ways in which trees end. */
const ways: Record<string, (planted: Planted) => Promise<unknown>> = {
  "the agent kills the terminals": ({ key, terminals }) =>
    target.play(
      key,
      terminals.map((terminalId) => request("terminal/kill", { terminalId })),
    ),
  "the agent releases the terminals": ({ key, terminals }) =>
    target.play(
      key,
      terminals.map((terminalId) => request("terminal/release", { terminalId })),
    ),
  "a person kills the terminals": async ({ key }) => {
    const { body } = await target.call("GET", "/sdk/acp/terminals");
    const all = body["terminals"] as { id: string }[];
    const own = all.filter((terminal) => JSON.stringify(terminal).includes(key));
    expect(own.length).toBeGreaterThanOrEqual(Object.keys(SHAPES).length);
    const kill = (id: string): Promise<unknown> =>
      target.call("POST", `/sdk/acp/terminals/${encodeURIComponent(id)}/kill`);
    await Promise.all(own.map(({ id }) => kill(id)));
  },
  "the session closes": ({ key }) => target.call("DELETE", `/sdk/acp/session/${encodeURIComponent(key)}`),
  "the host is killed": () => target.restart(),
};

function request(method: string, params: object): HostileStep {
  return { do: "call", method, params };
}

let plots = 0;

/** Plants trees of every shape in a new session; resolves when each has stood: those that grow may have met their limit. */
async function plant(isolation: string, user: string): Promise<Planted & { readonly prefix: string }> {
  const key = await target.open({ approvalPolicy: "approve-all", isolation });
  plots += 1;
  const prefix = `${process.pid}-${plots}-`;
  const lines = Object.values(SHAPES).flatMap((line) => Array.from({ length: treesEach }, () => line));
  const steps = lines.map((line, index) =>
    request("terminal/create", {
      command: "/bin/sh",
      args: ["-c", line],
      env: [
        { name: TREE_VARIABLE, value: `${prefix}${index}` },
        { name: DEPTH_VARIABLE, value: bombDepth(user) },
      ],
    }),
  );
  const stood = new Set<string>();
  const look = (): number => {
    for (const [tree, { length }] of liveTrees(prefix)) if (length > 1) stood.add(tree);
    return stood.size;
  };
  const waitForAll = async (): Promise<void> => {
    await expect.poll(look, { timeout: 120_000, interval: 250 }).toBe(lines.length);
  };
  const [{ outcomes }] = await Promise.all([target.play(key, steps), waitForAll()]);
  const terminals = outcomes.map(({ result }) => result?.["terminalId"] as string);
  return { key, terminals, prefix };
}

/** Milliseconds of each request. */
interface Latencies {
  readonly host: number[];
  readonly bare: number[];
}

const measured: Latencies = { host: [], bare: [] };

function percentile99(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? Number.NaN;
}

/** Probes `/healthz` of the host beside a bare server until stopped, in a separate process. */
function startProbe(): { stop(): Promise<Latencies> } {
  const program = fileURLToPath(new URL("health-probe.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, target.host.url], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout);
  return {
    stop: async () => {
      const exited = once(child, "exit");
      const printed = once(lines, "line");
      child.stdin.end();
      const [line] = (await printed) as [string];
      await exited;
      return JSON.parse(line) as Latencies;
    },
  };
}

const dying = "the host is killed";
const others = Object.keys(ways).filter((way) => way !== dying);
/** The short form ends its trees in all ways at once, as each of them waits for those that are deaf to signals. */
const groups = [...(isLong ? others.map((way) => [way]) : [others]), [dying]];
const cases = isolations.flatMap((isolation) => groups.map((group) => ({ isolation, group })));

describe.each(attackSettings("own"))("as $user, backend $backend", (setting) => {
  beforeAll(async () => {
    const limits = { command: treeLimits(setting.user), host: { openTerminals: 1000 } };
    target = await AttackHost.start({ limits }, optionsOf(setting));
  });
  afterAll(() => target.close());

  describe.runIf(process.platform === "linux")("[T667] hostile trees", () => {
    it.each(cases)(
      "[T667] none survives, isolation $isolation: $group",
      async ({ isolation, group }) => {
        // A host that is killed answers nothing.
        const probe = isLong && !group.includes(dying) ? startProbe() : undefined;
        const endInTurn = async (way: string): Promise<string> => {
          const planted = await plant(isolation, setting.user);
          await ways[way]?.(planted);
          return planted.prefix;
        };
        const prefixes = await Promise.all(group.map(endInTurn));
        const survivors = (): unknown[] => prefixes.flatMap((prefix) => [...liveTrees(prefix)]);
        await expect.poll(survivors, { timeout: 60_000, interval: 100 }).toEqual([]);
        const latencies = await probe?.stop();
        if (latencies === undefined) return;
        for (const name of ["host", "bare"] as const) measured[name].push(...latencies[name]);
        const p99 = [latencies.host, latencies.bare].map((each) => percentile99(each).toFixed(1));
        console.log(`/healthz p99 in ms, isolation ${isolation}, ${group.join()}: ${p99[0]}, bare ${p99[1]}`);
      },
      isLong ? 300_000 : 180_000,
    );

    it.runIf(isLong)(
      "[T667] /healthz meanwhile takes at most 3 times as long as a bare server, at p99",
      () => {
        const [host, bare] = [percentile99(measured.host), percentile99(measured.bare)];
        console.log(
          `/healthz p99 in ms: ${host.toFixed(1)}, bare ${bare.toFixed(1)}, ${measured.host.length} requests`,
        );
        expect(measured.host.length).toBeGreaterThan(1000);
        expect(host).toBeLessThanOrEqual(3 * bare);
      },
    );
  });
});
