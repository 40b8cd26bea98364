// Mixed load with commands: sessions in use, viewers and cut streams; the heap after a forced GC must stay flat.
//
// Part of `npm run test:soak`; SOAK_COMMANDS sets another number. The last line is JSON; the exit code says whether all held.
import { fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Holdfast } from "@holdfast/sdk";
import { Follower } from "./follower.ts";
import { viewSession } from "./viewer.ts";

const commandCount = Number(process.env["SOAK_COMMANDS"] ?? 6000);
const sessionCount = Math.min(20, Math.max(4, Math.ceil(commandCount / 1000)));
/** The channel logs, 1 MiB each, and the turns in memory reach their bounds in this part of the run. */
const warmUpShare = 0.5;
/** Allowed growth of the heap per 1,000 commands after the warm-up: the turns in memory go up and down by half. */
const maxGrowthKib = 512;
const pointCount = 20;
const mebibyte = 1024 * 1024;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

interface Point {
  readonly commands: number;
  readonly heapMib: number;
  readonly rssMib: number;
}

const child = fork(fileURLToPath(new URL("host-program.mjs", import.meta.url)), {
  execArgv: ["--expose-gc", "--import", "tsx", "--conditions=@holdfast/source"],
});
const [{ url, token }] = (await once(child, "message")) as [{ url: string; token: string }];

async function measure(commands: number): Promise<Point> {
  child.send("measure");
  const [{ usage }] = (await once(child, "message")) as [{ usage: NodeJS.MemoryUsage }];
  const inMib = (bytes: number): number => Math.round((bytes / mebibyte) * 10) / 10;
  const point = { commands, heapMib: inMib(usage.heapUsed), rssMib: inMib(usage.rss) };
  say(`${point.commands} commands: heap ${point.heapMib} MiB, rss ${point.rssMib} MiB`);
  return point;
}

/** The growth for each 1,000 commands, as the line with the least squares through the points. */
function slopeKib(points: readonly Point[]): number {
  const mean = (pick: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const meanCommands = mean(({ commands }) => commands);
  const meanHeap = mean(({ heapMib }) => heapMib);
  const spread = points.reduce((sum, { commands }) => sum + (commands - meanCommands) ** 2, 0);
  const both = points.reduce(
    (sum, { commands, heapMib }) => sum + (commands - meanCommands) * (heapMib - meanHeap),
    0,
  );
  return spread === 0 ? 0 : Math.round((both / spread) * 1000 * 1024);
}

const sdk = new Holdfast({ baseUrl: url, apiKey: token });
const wish = { agent_id: "runner", cwd: "/", approvalPolicy: "approve-all" as const };
const keys: string[] = [];
for (let index = 0; index < sessionCount; index += 1) {
  keys.push((await sdk.acpAgent.createSession(wish)).session_key);
}
const viewers = await Promise.all(keys.map((key) => viewSession({ url, token }, key)));
const followers = keys.map(
  (key) => new Follower(`${url}/sdk/acp/session/${encodeURIComponent(key)}/events`, token),
);
for (const follower of followers) follower.connect();

const startedMs = performance.now();
const points: Point[] = [await measure(0)];
const perPoint = Math.ceil(commandCount / pointCount / sessionCount);
for (let point = 1; point <= pointCount; point += 1) {
  await Promise.all(
    keys.map(async (key, index) => {
      for (let command = 0; command < perPoint; command += 1) {
        await sdk.acpAgent.chat(key, "run 1");
        if (Math.random() < 0.02) followers[index]?.vanish(Math.random() * 200);
      }
    }),
  );
  points.push(await measure(point * perPoint * sessionCount));
}
const seconds = Math.round((performance.now() - startedMs) / 1000);
for (const follower of followers) follower.close();
for (const viewer of viewers) viewer.close();
child.send("stop");
await once(child, "exit");

const measured = points.filter(({ commands }) => commands >= commandCount * warmUpShare);
const growthKib = slopeKib(measured);
const isGood = growthKib < maxGrowthKib;
say(isGood ? "The heap stayed flat." : "The heap grew.");
const result = {
  seconds,
  commands: points.at(-1)?.commands,
  sessions: sessionCount,
  growthKibPer1000Commands: growthKib,
  points,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exitCode = isGood ? 0 : 1;
