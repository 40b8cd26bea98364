// The benchmark of the app API: delivery beside a bare server, turns with storage on, idle sessions, and a start.
//   npm run bench:api              in full, some five minutes
//   npm run bench:api -- --short   a quick look, with less of everything
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { QuietMachine } from "../terminal/quiet.ts";
import { median, rounded } from "../terminal/statistics.ts";
import { DeliveryBench, type Delivery } from "./delivery.ts";
import { measureIdleSessions, measureWaitingSessions } from "./idle-session.ts";
import { measureStart } from "./start.ts";
import { measureTurns } from "./turn.ts";

const isShort = process.argv.includes("--short");
const rounds = isShort ? 3 : 9;
const turnSize = { updates: isShort ? 48_000 : 192_000, ticks: isShort ? 300 : 2000, rounds };
const idleSize = { warmUp: isShort ? 100 : 200, sessions: isShort ? 200 : 600 };
const startSize = { sessions: isShort ? 100 : 1000, turns: isShort ? 20 : 100, rounds: isShort ? 3 : 7 };

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const folder = mkdtempSync(path.join(tmpdir(), "bench-api-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

function newFolder(name: string): string {
  const made = path.join(folder, name);
  mkdirSync(made);
  return made;
}

function report(name: string, { ours, bare, ratio }: Delivery): Delivery {
  say(`${name}: ours ${Math.round(ours)}/s, bare ${Math.round(bare)}/s, ratio ${ratio.toFixed(2)}`);
  return { ours, bare, ratio };
}

const machine = new QuietMachine(isShort ? 1000 : 30_000);
const delivery = new DeliveryBench();
await machine.wait();
const one = report("1 reader", await delivery.backlog({ events: 40_000, readers: 1, rounds }));
const fifty = report("50 readers", await delivery.backlog({ events: 4000, readers: 50, rounds }));
// Here our side also applies each action and makes its text, which the bare server has ready.
const liveOne = report("1 reader, live", await delivery.live({ events: 20_000, readers: 1, rounds }, 10));
const liveFifty = report("50 readers, live", await delivery.live({ events: 2000, readers: 50, rounds }, 10));
await delivery.close();

await machine.wait();
const turns = await measureTurns(newFolder("turns"), turnSize);
say(
  `turns: ${Math.round(turns.updatesPerSecond)} updates/s in ${Math.round(turns.framesPerSecond)} frames/s, latency p50 ${turns.latencyP50Ms.toFixed(2)} ms, p99 ${turns.latencyP99Ms.toFixed(2)} ms`,
);

const idle = await measureIdleSessions(newFolder("idle"), idleSize);
say(`an idle session: rss ${idle.rssKiB.toFixed(1)} KiB, heap ${idle.heapKiB.toFixed(1)} KiB`);
const waiting = await measureWaitingSessions(newFolder("waiting"), idleSize);
say(`one whose agent waits: rss ${waiting.rssKiB.toFixed(1)} KiB, heap ${waiting.heapKiB.toFixed(1)} KiB`);

say(`filling a database with ${startSize.sessions} sessions of ${startSize.turns} turns …`);
const start = await measureStart(newFolder("start"), startSize, machine);
say(
  `start: ${start.startMs.toFixed(0)} ms; the program ${start.programStartMs.toFixed(0)} ms, in a new home ${start.emptyProgramStartMs.toFixed(0)} ms; list ${start.listSessionsMs.toFixed(1)} ms; ${start.databaseMiB.toFixed(0)} MiB`,
);

console.log(
  JSON.stringify({
    sseVsBare1: rounded(one.ratio),
    sseVsBare50: rounded(fifty.ratio),
    turnEventsPerSecond: Math.round(turns.updatesPerSecond),
    turnFramesPerSecond: Math.round(turns.framesPerSecond),
    latencyP50Ms: rounded(turns.latencyP50Ms),
    latencyP99Ms: rounded(turns.latencyP99Ms),
    rssPerIdleSessionKiB: rounded(idle.rssKiB),
    heapPerIdleSessionKiB: rounded(idle.heapKiB),
    rssPerWaitingSessionKiB: rounded(waiting.rssKiB),
    heapPerWaitingSessionKiB: rounded(waiting.heapKiB),
    startMs: Math.round(start.startMs),
    programStartMs: Math.round(start.programStartMs),
    emptyProgramStartMs: Math.round(start.emptyProgramStartMs),
    listSessionsMs: rounded(start.listSessionsMs),
    commitAndSseVsBare1: rounded(liveOne.ratio),
    commitAndSseVsBare50: rounded(liveFifty.ratio),
    sseEventsPerSecond1: Math.round(one.ours),
    sseEventsPerSecond50: Math.round(fifty.ours),
    bareEventsPerSecond1: Math.round(one.bare),
    bareEventsPerSecond50: Math.round(fifty.bare),
    kept: {
      sessions: startSize.sessions,
      turns: startSize.turns,
      databaseMiB: Math.round(start.databaseMiB),
    },
    machine: { cores: availableParallelism(), idlePercent: median(machine.idlePercents) },
    goals: {
      sseVsBare1: ">= 1",
      sseVsBare50: ">= 1",
      rssPerIdleSessionKiB: "< 200",
      startMs: "< 1000",
      listSessionsMs: "< 50",
    },
  }),
);
