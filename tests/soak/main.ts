// Two minutes of bad clients: 200 of them stall, vanish and come back, and the host neither grows nor loses an event.
//
// `npm run test:soak`; SOAK_SECONDS sets another time. The last line is JSON; the exit code says whether all held.
import { fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Follower } from "./follower.ts";

const totalMs = Number(process.env["SOAK_SECONDS"] ?? 120) * 1000;
const warmUpMs = Math.min(30_000, totalMs / 4);
const clientCount = 200;
const sessionCount = 5;
const turn = "talk 250 20";
const mebibyte = 1024 * 1024;
const limits = { heap: 16, external: 16, rss: 64 };

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const child = fork(fileURLToPath(new URL("host-program.mjs", import.meta.url)), {
  execArgv: ["--expose-gc", "--import", "tsx", "--conditions=@holdfast/source"],
});
const [{ url, token }] = (await once(child, "message")) as [{ url: string; token: string }];

async function measure(): Promise<NodeJS.MemoryUsage> {
  child.send("measure");
  const [{ usage }] = (await once(child, "message")) as [{ usage: NodeJS.MemoryUsage }];
  return usage;
}

async function post(route: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/sdk/acp${route}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": token },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Keeps a session talking: one turn runs, another waits. */
async function keepTalking(path: string, isOver: () => boolean): Promise<void> {
  const next = async (): Promise<unknown> => post(`${path}/chat`, { message: turn, queue: true });
  const lanes = [0, 1].map(async () => {
    while (!isOver()) await next();
  });
  await Promise.all(lanes);
}

function misbehave(client: Follower): void {
  const chance = Math.random();
  if (chance < 0.4) client.stall(500 + Math.random() * 4000);
  else if (chance < 0.8) client.vanish(Math.random() * 1000);
}

/** How many of the reference's events a client has not heard, or heard otherwise, from its first one on. */
function countLost(client: Follower, reference: Follower): number {
  const { ids, digests } = client.heard;
  const start = reference.heard.ids.indexOf(ids[0] ?? -1);
  if (start < 0) return reference.heard.ids.length;
  const length = Math.max(reference.heard.ids.length - start, ids.length);
  let lost = 0;
  for (let index = 0; index < length; index += 1) {
    const isSame =
      reference.heard.ids[start + index] === ids[index] &&
      reference.heard.digests[start + index] === digests[index];
    if (!isSame) lost += 1;
  }
  return lost;
}

const startedMs = performance.now();
const isOver = (): boolean => performance.now() - startedMs > totalMs;
const paths: string[] = [];
for (let index = 0; index < sessionCount; index += 1) {
  const wish = { agent_id: "talker", cwd: "/", approvalPolicy: "approve-all" };
  const { session } = (await post("/session", wish)) as { session: { session_key: string } };
  paths.push(`/session/${encodeURIComponent(session.session_key)}`);
}
const talking = paths.map((path) => keepTalking(path, isOver));
const eventsUrl = (index: number): string => `${url}/sdk/acp${paths[index % sessionCount] ?? ""}/events`;
const references = paths.map((_, index) => new Follower(eventsUrl(index), token));
const clients = Array.from({ length: clientCount }, (_, index) => new Follower(eventsUrl(index), token));
for (const follower of [...references, ...clients]) follower.connect();

let before: NodeJS.MemoryUsage | undefined;
while (!isOver()) {
  await sleep(250);
  for (const client of clients) if (Math.random() < 0.1) misbehave(client);
  if (before === undefined && performance.now() - startedMs > warmUpMs) {
    before = await measure();
    say(
      `warm: heap ${(before.heapUsed / mebibyte).toFixed(1)} MiB, rss ${(before.rss / mebibyte).toFixed(1)} MiB`,
    );
  }
}
const after = await measure();
await Promise.all(talking);
// Everybody may catch up now.
for (let round = 0; round < 300; round += 1) {
  const lastIds = references.map(({ lastId }) => lastId);
  await sleep(100);
  const isCaughtUp = clients.every((client, index) => client.lastId === lastIds[index % sessionCount]);
  if (isCaughtUp && references.every(({ lastId }, index) => lastId === lastIds[index])) break;
}
const lostEvents = clients.reduce((sum, client, index) => {
  const reference = references[index % sessionCount];
  return sum + (reference === undefined ? 0 : countLost(client, reference));
}, 0);
const events = clients.reduce((sum, { heard }) => sum + heard.ids.length, 0);
const connections = clients.reduce((sum, client) => sum + client.connections, 0);
for (const follower of [...references, ...clients]) follower.close();
child.send("stop");
await once(child, "exit");

const growth = (pick: (usage: NodeJS.MemoryUsage) => number): number =>
  Math.round((pick(after) - (before ? pick(before) : 0)) / (mebibyte / 10)) / 10;
const result = {
  seconds: Math.round(totalMs / 1000),
  clients: clientCount,
  connections,
  events,
  lostEvents,
  heapGrowthMiB: growth(({ heapUsed }) => heapUsed),
  externalGrowthMiB: growth(({ external }) => external),
  rssGrowthMiB: growth(({ rss }) => rss),
};
const isGood =
  lostEvents === 0 &&
  events > 0 &&
  Math.abs(result.heapGrowthMiB) < limits.heap &&
  Math.abs(result.externalGrowthMiB) < limits.external &&
  Math.abs(result.rssGrowthMiB) < limits.rss;
say(isGood ? "The soak held." : "The soak did not hold.");
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exitCode = isGood ? 0 : 1;
