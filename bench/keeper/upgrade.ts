// An upgrade under load: the host of another commit runs sessions with viewers, and this commit's host takes over.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Holdfast } from "@holdfast/sdk";
import { followByAhp, followByStream } from "../../tests/keeper/terminal-viewers.ts";
import { terminalOf } from "../../tests/keeper/workloads.ts";
import { median, rounded } from "../terminal/statistics.ts";
import { startProgram, stopAll, thisProgram } from "./program.ts";

const sessionCount = 20;
const viewerCount = 50;
const ticks = 1000;
const tickSeconds = 0.02;
const beforeUpgradeMs = 6000;
const repository = fileURLToPath(new URL("../..", import.meta.url));
const { values: options, positionals } = parseArgs({
  options: { forks: { type: "boolean", default: false } },
  allowPositionals: true,
});
// With `--forks`, each pause is a process: 1,000 of them a second keep two cores busy.
const pause = options.forks ? `sleep ${tickSeconds}` : `read -t ${tickSeconds} -u 3`;
const loop = `for ((i = 1; i <= ${ticks}; i++)); do echo tick $i; ${pause}; done`;
const command = `bash -c 'exec 3<> <(:); ${loop}'`;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** The program of another commit, built in a folder. */
function buildCommit(commit: string, folder: string): string {
  execFileSync("git", ["worktree", "add", "--detach", folder, commit], { cwd: repository, stdio: "ignore" });
  execFileSync("cp", ["-al", path.join(repository, "node_modules"), folder]);
  execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: folder, stdio: "inherit" });
  return path.join(folder, "packages/cli/dist/main.js");
}

/** When this commit's host took over from the other one, by the keeper's log. */
function fenceMs(home: string): number {
  const lines = readFileSync(path.join(home, "keeper.log"), "utf8").trim().split("\n");
  const takeOver = lines.findLast((line) => line.includes("has taken over"));
  return Date.parse(takeOver?.split(" ")[0] ?? "");
}

/** Starts a turn in each session; gives the ids of their terminals and the turns' ends. */
async function startTurns(sdk: Holdfast, cwd: string): Promise<{ ids: string[]; ends: Promise<string>[] }> {
  const keys: string[] = [];
  for (let session = 0; session < sessionCount; session += 1) {
    const wish = { agent_id: "shell", cwd, approvalPolicy: "approve-all" } as const;
    keys.push((await sdk.acpAgent.createSession(wish)).session_key);
  }
  const ends = keys.map(async (key) => {
    for await (const event of sdk.acpAgent.streamChat(key, command)) {
      if (event.type === "done") return event.data.stopReason;
      if (event.type === "error") return event.data.code;
    }
    return "nothing";
  });
  const ids = await Promise.all(keys.map((key) => terminalOf(sdk, key)));
  return { ids, ends };
}

const commit = positionals[0] ?? "HEAD~1";
const folder = mkdtempSync(path.join(tmpdir(), "bench-upgrade-"));
const [home, project, worktree] = ["home", "project", "other"].map((name) => path.join(folder, name)) as [
  string,
  string,
  string,
];
for (const each of [home, project]) mkdirSync(each, { mode: 0o700 });
try {
  const other = buildCommit(commit, worktree);
  const { sdk, url } = await startProgram(other, home);
  const { ids, ends } = await startTurns(sdk, project);
  const token = readFileSync(path.join(home, "token"), "utf8").trim();
  const viewers = await Promise.all(
    Array.from({ length: viewerCount }, async (_, index) => {
      const id = ids[index % ids.length] ?? "";
      return index % 2 === 0 ? followByStream(sdk, id) : followByAhp({ url, token }, `viewer-${index}`, id);
    }),
  );
  say(`${sessionCount} sessions of ${commit} run, with ${viewerCount} viewers`);
  await sleep(beforeUpgradeMs);
  await startProgram(thisProgram, home, ["--take-over"]);
  say("taken over");
  const listeningMs = Date.now();
  const fencedMs = fenceMs(home);
  const stops = await Promise.all(ends);
  say("turns ended");
  const texts = await Promise.all(viewers.map(({ text }) => text));
  const expected = Array.from({ length: ticks }, (_, index) => `tick ${index + 1}\r\n`).join("");
  const wholeTexts = texts.filter((text) => text === expected).length;
  for (const [index, text] of texts.entries()) {
    if (text === expected) continue;
    say(`${viewers[index]?.kind} viewer ${index}: ${describeDifference(text, expected)}`);
  }
  const fromFence = viewers.map(
    ({ arrivalsMs }) => (arrivalsMs.find((atMs) => atMs > fencedMs) ?? Number.NaN) - fencedMs,
  );
  const pauses = viewers.map(({ arrivalsMs }) => longestPauseMs(arrivalsMs));
  const result = {
    from: execFileSync("git", ["rev-parse", "--short", commit], { cwd: repository, encoding: "utf8" }).trim(),
    turnsEnded: stops.filter((stop) => stop === "end_turn").length,
    wholeTexts,
    listeningFromFenceMs: listeningMs - fencedMs,
    pauseFromFenceMs: { median: rounded(median(fromFence)), longest: rounded(Math.max(...fromFence)) },
    pauseOfViewersMs: { median: rounded(median(pauses)), longest: rounded(Math.max(...pauses)) },
  };
  console.log(JSON.stringify(result, undefined, 2));
  const goals: readonly (readonly [string, string, boolean])[] = [
    ["turnsEnded", `= ${sessionCount}`, result.turnsEnded === sessionCount],
    ["wholeTexts", `= ${viewerCount}`, wholeTexts === viewerCount],
    ["pauseFromFenceMs.longest", "< 1000", result.pauseFromFenceMs.longest < 1000],
  ];
  for (const [name, wanted, isMet] of goals) say(`${isMet ? "met   " : "MISSED"} ${name} ${wanted}`);
} finally {
  await stopAll(home);
  execFileSync("git", ["worktree", "remove", "--force", worktree], { cwd: repository, stdio: "ignore" });
  rmSync(folder, { recursive: true, force: true });
}

function longestPauseMs(arrivalsMs: readonly number[]): number {
  return Math.max(...arrivalsMs.slice(1).map((atMs, index) => atMs - (arrivalsMs[index] ?? atMs)));
}

/** Where a viewer's text leaves what was written. */
function describeDifference(text: string, expected: string): string {
  let at = 0;
  while (at < text.length && text[at] === expected[at]) at += 1;
  const around = (whole: string): string => JSON.stringify(whole.slice(Math.max(0, at - 12), at + 24));
  return `${text.length} of ${expected.length} characters; ${around(text)} instead of ${around(expected)}`;
}
