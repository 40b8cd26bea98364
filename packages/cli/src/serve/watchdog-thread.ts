// The watchdog's thread: asks the main thread for a sign while that uses the CPU, and ends the process if none comes.
import { readFileSync, writeSync } from "node:fs";
import type { Debugger } from "node:inspector";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { describeHang, type Hang, type Sample, writeHangReport } from "./hang-report.ts";
import { ACTIONS_KEY, type WatchdogData, type WatchdogMessage, type WatchdogTimes } from "./watchdog.ts";

/** So much CPU time, as a share of the time between looks, the thread uses before it is asked: a question would wake an idle thread. */
const busyShare = 0.25;
/** Not all of the time, since others use the CPU too; a starved or stopped process stays far below it. */
const hangingShare = 0.8;
const suspiciousLookMs = 250;
const tickMs = 10;

const actions = `globalThis[Symbol.for(${JSON.stringify(ACTIONS_KEY)})]`;

async function watch({ home, times, parentPid, turns, isTerminal }: WatchdogData): Promise<void> {
  let cpuMs = mainThreadCpuMs();
  for (;;) {
    await delay(times.lookMs);
    if (parentPid !== undefined && process.ppid !== parentPid) {
      send("parent-gone");
      return watch({ home, times, parentPid: undefined, turns, isTerminal });
    }
    // Over as many looks as it takes: a loop that never ends may get little of a busy machine's CPU.
    if (mainThreadCpuMs() - cpuMs < times.lookMs * busyShare) continue;
    const hang = await waitForTurn(times, turns);
    cpuMs = mainThreadCpuMs();
    if (hang === undefined) continue;
    const file = writeHangReport(home, hang);
    writeSync(2, logLine(describeHang(hang), file, isTerminal));
    return endProcess();
  }
}

/** Asks for a tick of the loop; returns how it hangs when none comes. */
async function waitForTurn(times: WatchdogTimes, turns: Int32Array): Promise<Hang | undefined> {
  const before = Atomics.load(turns, 0);
  const askedMs = performance.now();
  const cpuBeforeMs = mainThreadCpuMs();
  const samples: Sample[] = [];
  send("turn");
  for (;;) {
    await delay(Math.min(suspiciousLookMs, times.lookMs));
    if (Atomics.load(turns, 0) !== before) return undefined;
    const elapsedMs = performance.now() - askedMs;
    const cpuMs = mainThreadCpuMs() - cpuBeforeMs;
    const hasUsed = (limitMs: number): boolean => elapsedMs >= limitMs && cpuMs >= limitMs * hangingShare;
    if (samples.length === 0 && hasUsed(times.releaseSignalsMs)) {
      samples.push({ elapsedMs, frames: await sample(`${actions}.releaseSignals()`) });
    }
    if (!hasUsed(times.hangMs)) continue;
    samples.push({ elapsedMs, frames: await sample() });
    // Coming to a stop may have been all that it needed.
    if (Atomics.load(turns, 0) === before) return { elapsedMs, cpuMs, samples };
    return undefined;
  }
}

/** The main thread's stack of this moment; undefined where it is in native code. */
async function sample(expression?: string): Promise<readonly string[] | undefined> {
  const pause = await pauseMainThread();
  if (pause === undefined) return undefined;
  if (expression !== undefined) await pause.evaluate(expression);
  await pause.resume();
  return pause.frames;
}

/** Ends the process from within the main thread, so that it has an exit code and leaves no lock; else by force. */
async function endProcess(): Promise<void> {
  const pause = await pauseMainThread();
  await pause?.evaluateLast(`${actions}.end()`);
  process.kill(process.pid, "SIGKILL");
}

/** The CPU time of the main thread; where the system does not report it, that of the process. */
function mainThreadCpuMs(): number {
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * tickMs;
    } catch {
      // Without /proc the process has to do.
    }
  }
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A line as the host's log has them, whose code is too much for this thread. */
function logLine(message: string, file: string | undefined, isTerminal: boolean): string {
  const now = new Date();
  if (!isTerminal) {
    return `${JSON.stringify({ report: file, time: now.toISOString(), level: "error", message })}\n`;
  }
  return `${now.toTimeString().slice(0, 8)} error ${message}${file === undefined ? "" : ` report=${file}`}\n`;
}

function send(message: WatchdogMessage): void {
  parentPort?.postMessage(message, []);
}

/** A main thread that stands still, paused as a debugger does it, also inside an endless loop. */
interface MainThreadPause {
  /** Its stack, the innermost function first, as in an error's stack. */
  readonly frames: readonly string[];
  /** Runs an expression in the innermost function. */
  evaluate(expression: string): Promise<void>;
  /** Lets it run on. */
  resume(): Promise<void>;
  /** Runs an expression that ends the process; an exit waits until no debugger is connected any more. */
  evaluateLast(expression: string): Promise<void>;
}

/** A thread that does not stop in this time is in native code. */
const pauseWithinMs = 2_000;
/** Time for an expression that never returns, since it ends the process. */
const lastWordsMs = 500;

/** Stops the main thread; undefined where it cannot be stopped. */
async function pauseMainThread(): Promise<MainThreadPause | undefined> {
  // Only now: the inspector is no part of every build of Node, and is hardly ever needed.
  const inspector = await import("node:inspector").catch(() => undefined);
  if (inspector === undefined) return undefined;
  const session = new inspector.Session();
  const urls = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => urls.set(params.scriptId, params.url));
  const paused = new Promise<Debugger.CallFrame[]>((resolve) => {
    session.once("Debugger.paused", ({ params }) => resolve(params.callFrames));
  });
  session.connectToMainThread();
  session.post("Debugger.enable");
  session.post("Debugger.pause");
  const callFrames = await Promise.race([paused, delay(pauseWithinMs, undefined)]);
  if (callFrames === undefined) {
    session.disconnect();
    return undefined;
  }
  const evaluate = async (expression: string): Promise<void> => {
    const [innermost] = callFrames;
    if (innermost === undefined) return;
    await answered((done) => {
      const { callFrameId } = innermost;
      session.post("Debugger.evaluateOnCallFrame", { callFrameId, expression, silent: true }, done);
    });
  };
  return {
    frames: callFrames.map((frame) => describeFrame(frame, urls)),
    evaluate,
    async resume() {
      await answered((done) => session.post("Debugger.resume", done));
      await answered((done) => session.post("Debugger.disable", done));
      session.disconnect();
    },
    async evaluateLast(expression) {
      await Promise.race([evaluate(expression), delay(lastWordsMs)]);
      session.disconnect();
      await delay(pauseWithinMs);
    },
  };
}

/** Waits for an answer of the session, whatever it says, but not for ever. */
function answered(post: (done: () => void) => void): Promise<void> {
  const answer = new Promise<void>((resolve) => {
    post(() => resolve());
  });
  return Promise.race([answer, delay(pauseWithinMs)]);
}

function describeFrame({ functionName, location }: Debugger.CallFrame, urls: Map<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  const place = `${urls.get(scriptId) ?? "unknown"}:${lineNumber + 1}:${columnNumber + 1}`;
  return `at ${functionName === "" ? "<anonymous>" : functionName} (${place})`;
}

await watch(workerData as WatchdogData);
