// The benchmark of AHP: one flood to many clients beside a plain server, a client that never reads, echoes, and shells.
//   npm run bench:ahp              in full, some three minutes
//   npm run bench:ahp -- --short   a quick look, with less of everything
//   npm run bench:ahp -- --vscode  only beside VS Code's agent host
import { availableParallelism } from "node:os";
import { whyNoVsCode } from "../../tests/vscode/installation.ts";
import { isInstalled } from "../terminal/installed.ts";
import { progress } from "../terminal/progress.ts";
import { QuietMachine } from "../terminal/quiet.ts";
import { median, rounded } from "../terminal/statistics.ts";
import { FanOutBench, type FanOut } from "./fan-out.ts";
import { measureNeverReads } from "./never-reads.ts";
import { measureShellCost } from "./shell-cost.ts";
import { measureTyping } from "./typing.ts";
import { measureBesideVsCode } from "./vscode.ts";

const isShort = process.argv.includes("--short");
const rounds = isShort ? 1 : 5;
const floodMegabytes: Readonly<Record<number, number>> = isShort
  ? { 1: 20, 10: 8, 50: 3 }
  : { 1: 100, 10: 40, 50: 12 };
const peerMegabytes: Readonly<Record<number, number>> = isShort
  ? { 1: 10, 10: 4, 50: 1 }
  : { 1: 30, 10: 12, 50: 4 };
const neverReadBytes = isShort ? 80e6 : 800e6;
const keys = isShort ? 60 : 400;
const shellCommands = isShort ? 100 : 1000;
const machine = new QuietMachine(isShort ? 0 : 20_000);

const noVsCode = whyNoVsCode();
if (noVsCode !== undefined) {
  progress(`VS Code's host is not measured: ${noVsCode}. npm run test:vscode installs it`);
}
await machine.wait();
const besideVsCode =
  noVsCode === undefined ? await measureBesideVsCode(peerMegabytes, keys / 2, rounds) : null;
if (process.argv.includes("--vscode")) {
  console.log(JSON.stringify({ besideVsCode }));
  process.exit();
}

const bench = new FanOutBench();
const fanOut: Record<string, FanOut> = {};
for (const kind of ["tty", "text"] as const) {
  for (const [clients, megabytes] of Object.entries(floodMegabytes)) {
    await machine.wait();
    const size = { kind, clients: Number(clients), floodBytes: megabytes * 1e6, rounds };
    fanOut[`${kind}${clients}`] = await bench.measure(size);
  }
}
await bench.close();
// It has its own protocol, so it would need separate clients as well.
progress(
  isInstalled("ttyd")
    ? "ttyd is installed but not measured here: see bench:terminal"
    : "ttyd is not installed",
);

await machine.wait();
const neverReads = await measureNeverReads(neverReadBytes, keys);
progress(
  `never read ${neverReads.floodMB} MB: ${neverReads.rssOverIdleMiB.toFixed(1)} MiB over idle; ` +
    `echo p50 ${neverReads.echoP50Ms.toFixed(2)} ms, p99 ${neverReads.echoP99Ms.toFixed(2)} ms`,
);
await machine.wait();
const typing = await measureTyping(isShort ? 40e6 : 250e6, isShort ? 60 : 200, isShort ? 1 : 5);
progress(
  `typing beside a flood: ours p50 ${typing.oursP50Ms.toFixed(2)} ms, p99 ${typing.oursP99Ms.toFixed(2)} ms; ` +
    `plain p50 ${typing.plainP50Ms.toFixed(2)} ms, p99 ${typing.plainP99Ms.toFixed(2)} ms`,
);
await machine.wait();
const bash = await measureShellCost("bash", shellCommands);
const zsh = await measureShellCost("zsh", shellCommands);
progress(`a command costs ${bash?.addedMs.toFixed(2)} ms more in bash, ${zsh?.addedMs.toFixed(2)} ms in zsh`);

const roundedOrNull = (value: number | undefined): number | null =>
  value === undefined ? null : rounded(value);
console.log(
  JSON.stringify({
    besideVsCode,
    fanOut,
    cpuShareOfPlainTty50: fanOut["tty50"]?.cpuShare,
    cpuShareOfPlainText50: fanOut["text50"]?.cpuShare,
    neverReadMB: neverReads.floodMB,
    rssOverIdleMiB: rounded(neverReads.rssOverIdleMiB),
    echoP50Ms: rounded(neverReads.echoP50Ms),
    echoP99Ms: rounded(neverReads.echoP99Ms),
    quietEchoP50Ms: rounded(neverReads.quietEchoP50Ms),
    quietEchoP99Ms: rounded(neverReads.quietEchoP99Ms),
    typingP50Ms: rounded(typing.oursP50Ms),
    typingP99Ms: rounded(typing.oursP99Ms),
    plainTypingP50Ms: rounded(typing.plainP50Ms),
    plainTypingP99Ms: rounded(typing.plainP99Ms),
    typingP99VsPlain: rounded(typing.p99VsPlain),
    bashPlainMs: roundedOrNull(bash?.plainMs),
    bashAddedMs: roundedOrNull(bash?.addedMs),
    zshPlainMs: roundedOrNull(zsh?.plainMs),
    zshAddedMs: roundedOrNull(zsh?.addedMs),
    ttyd: null,
    machine: { cores: availableParallelism(), idlePercent: median(machine.idlePercents) },
    goals: {
      cpuShareOfPlainTty50: "<= 0.125",
      cpuShareOfPlainText50: "<= 0.125",
      rssOverIdleMiB: "< 64",
      echoP99Ms: "< 15",
      typingP99VsPlain: "<= 1.5",
      bashAddedMs: "< 1.5",
      zshAddedMs: "< 1.5",
    },
  }),
);
