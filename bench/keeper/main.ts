// The benchmark of the keeper: floods, echo, updates, starts and memory, against the inline port and a bare relay in the same run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connectKeeper } from "@holdfast/terminal/keeper";
import type { ProcessPort, RunKind } from "@holdfast/terminal/port";
import { Spawner } from "@holdfast/terminal/process";
import { median, percentile, rounded } from "../terminal/statistics.ts";
import { relayMs } from "./relay.ts";
import { measureStarts } from "./start.ts";
import { UpdatesHost, updatesPerTurn } from "./updates.ts";

const rounds = process.argv.includes("--short") ? 3 : 9;
const pipeBytes = 512 * 1024 * 1024;
const ttyLineCount = 800_000;
const idleTerminals = 100;
const liveTerminals = 200;
const echoes = 300;
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const folder = mkdtempSync(path.join(tmpdir(), "bench-keeper-"));
const linesFile = path.join(folder, "lines");
const line = `${"0123456789 abcdefghij ".repeat(3)}\n`;
writeFileSync(linesFile, line.repeat(ttyLineCount));
const ttyBytes = ttyLineCount * (line.length + 1);
const pipeCommand = `head -c ${pipeBytes} /dev/zero`;
const env = { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", TERM: "xterm" };

const inline = new Spawner({ environment: env });
const keeper = await connectKeeper({ home: path.join(folder, "home"), environment: env });
const ports = { inline, keeper } as const;
type PortName = keyof typeof ports;
const names: readonly PortName[] = ["inline", "keeper"];

/** Milliseconds from the start to the end of a flood; its reader acknowledges as a host does. */
async function floodMs(port: ProcessPort, kind: RunKind, command: string, bytes: number): Promise<number> {
  const startedMs = performance.now();
  let totalBytes = 0;
  let acknowledgedBytes = 0;
  let resolveDone = (): void => {};
  const done = new Promise<void>((resolve) => (resolveDone = resolve));
  const run = await port.start(
    { kind, command, cwd: "/", env },
    {
      bytes: (_stream, piece, offset) => {
        totalBytes = offset + piece.length;
        if (totalBytes - acknowledgedBytes < 2 * 1024 * 1024) return;
        acknowledgedBytes = totalBytes - 1024 * 1024;
        run?.acknowledge("output", acknowledgedBytes);
      },
      exit: () => {},
      end: resolveDone,
    },
  );
  await done;
  const tookMs = performance.now() - startedMs;
  run.release();
  if (totalBytes !== bytes) throw new Error(`${totalBytes} of ${bytes} bytes arrived`);
  return tookMs;
}

/** Milliseconds from a key to its echo, one after the other. */
async function echoMs(port: ProcessPort): Promise<number[]> {
  let heard = (): void => {};
  const run = await port.start(
    { kind: "tty", command: "stty raw -echo; echo ready; exec cat", cwd: "/", env },
    { bytes: () => heard(), exit: () => {}, end: () => {} },
  );
  const next = (): Promise<void> => new Promise((resolve) => (heard = resolve));
  await next();
  const times: number[] = [];
  for (let count = 0; count < echoes; count += 1) {
    const startedMs = performance.now();
    const echoed = next();
    run.write(Buffer.from("x"));
    await echoed;
    times.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  run.release();
  return times;
}

function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0";
  return Number(kib) / 1024;
}

async function idleResidentMiB(): Promise<number> {
  const sink = { bytes: () => {}, exit: () => {}, end: () => {} };
  const request = { kind: "tty", command: "echo prompt; exec cat", cwd: "/", env } as const;
  const runs = await Promise.all(Array.from({ length: idleTerminals }, () => keeper.start(request, sink)));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const resident = residentMiB(keeper.keeper?.pid ?? 0);
  for (const run of runs) run.release();
  return resident;
}

/** Runs everything in turn, each round beginning with another. */
async function interleave(
  measures: Readonly<Record<string, () => Promise<number>>>,
): Promise<Record<string, number>> {
  const found: Record<string, number[]> = {};
  const entries = Object.entries(measures);
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % entries.length;
    for (const [name, measure] of [...entries.slice(first), ...entries.slice(0, first)]) {
      const value = await measure();
      // The first round is for code that has not run yet.
      if (round > 0) (found[name] ??= []).push(value);
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, values]) => [name, median(values)]));
}

const idleMiB = process.platform === "linux" ? await idleResidentMiB() : null;
say(`keeper with ${idleTerminals} idle terminals: ${idleMiB?.toFixed(1)} MiB`);
const pipe = await interleave({
  relay: () => relayMs(pipeCommand, pipeBytes),
  inline: () => floodMs(inline, "text", pipeCommand, pipeBytes),
  keeper: () => floodMs(keeper, "text", pipeCommand, pipeBytes),
});
say(`pipe ${JSON.stringify(pipe)}`);
const tty = await interleave({
  inline: () => floodMs(inline, "tty", `cat ${linesFile}`, ttyBytes),
  keeper: () => floodMs(keeper, "tty", `cat ${linesFile}`, ttyBytes),
});
say(`tty ${JSON.stringify(tty)}`);
const echo: Record<PortName, number[]> = { inline: [], keeper: [] };
for (let round = 0; round < rounds; round += 1) {
  for (const name of names) echo[name].push(...(await echoMs(ports[name])));
}
const updateHosts = {
  inline: await UpdatesHost.open(inline, path.join(folder, "inline")),
  keeper: await UpdatesHost.open(keeper, path.join(folder, "kept")),
};
const updates = await interleave({
  inline: () => updateHosts.inline.measureMs(),
  keeper: () => updateHosts.keeper.measureMs(),
});
say(`updates ${JSON.stringify(updates)}`);
// Each closes its port.
await updateHosts.keeper.close();
await updateHosts.inline.close();
const starts = await measureStarts(folder, liveTerminals, rounds);
say(`starts ${JSON.stringify(starts)}`);
rmSync(folder, { recursive: true });

const perSecond = (bytes: number, ms = Number.NaN): number => rounded(bytes / 1e6 / (ms / 1000));
const p50 = { inline: percentile(echo.inline, 0.5), keeper: percentile(echo.keeper, 0.5) };
const result = {
  pipeMegabytesPerSecond: {
    relay: perSecond(pipeBytes, pipe["relay"]),
    inline: perSecond(pipeBytes, pipe["inline"]),
    keeper: perSecond(pipeBytes, pipe["keeper"]),
  },
  ttyMegabytesPerSecond: {
    inline: perSecond(ttyBytes, tty["inline"]),
    keeper: perSecond(ttyBytes, tty["keeper"]),
  },
  pipeOfRelay: rounded((pipe["relay"] ?? Number.NaN) / (pipe["keeper"] ?? Number.NaN)),
  ttyOfInline: rounded((tty["inline"] ?? Number.NaN) / (tty["keeper"] ?? Number.NaN)),
  echoP50Ms: { inline: rounded(p50.inline), keeper: rounded(p50.keeper) },
  echoAddedMs: rounded(p50.keeper - p50.inline),
  updatesPerSecond: {
    inline: rounded((updatesPerTurn / (updates["inline"] ?? Number.NaN)) * 1000),
    keeper: rounded((updatesPerTurn / (updates["keeper"] ?? Number.NaN)) * 1000),
  },
  updatesOfInline: rounded((updates["inline"] ?? Number.NaN) / (updates["keeper"] ?? Number.NaN)),
  startMs: { empty: rounded(starts.emptyMs), with200Terminals: rounded(starts.fullMs) },
  startOfEmpty: rounded(starts.fullMs / starts.emptyMs),
  keeperMiBWith100Idle: idleMiB === null ? null : rounded(idleMiB),
};
const goals: readonly (readonly [string, string, boolean])[] = [
  ["pipeOfRelay", "≥ 0.8", result.pipeOfRelay >= 0.8],
  ["ttyOfInline", "≥ 0.85", result.ttyOfInline >= 0.85],
  ["echoAddedMs", "< 1", result.echoAddedMs < 1],
  ["updatesOfInline", "≥ 0.8", result.updatesOfInline >= 0.8],
  ["startOfEmpty", "≤ 1.5", result.startOfEmpty <= 1.5],
  ["keeperMiBWith100Idle", "< 80", (result.keeperMiBWith100Idle ?? 0) < 80],
];
console.log(JSON.stringify(result, undefined, 2));
for (const [name, wanted, isMet] of goals) say(`${isMet ? "met   " : "MISSED"} ${name} ${wanted}`);
