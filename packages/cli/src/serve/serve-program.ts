// Life of a host in this process: the ready message, signals, drain, faults (C8, C12).
import path from "node:path";
import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { type Log, Redactor } from "@holdfast/core";
import { OPERATIONS } from "@holdfast/protocol";
import type { RunningWork } from "@holdfast/server";
import { protectFromOomKiller } from "@holdfast/terminal/process";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { quote } from "../safe-text.ts";
import { createLog } from "./log.ts";
import { type ReadyHost, serve, type ServeOptions, type StartHost } from "./serve.ts";
import { TOKEN_FILE } from "./token.ts";
import { startWatchdog, type WatchdogTimes } from "./watchdog.ts";

/**
 * How much the heap may grow before garbage is collected. V8 lets a small heap grow fourfold, which a flood of text
 * fills with what nobody needs any more (N241).
 */
const heapGrowthPercent = 100;

/** A drain that takes longer is broken off: service managers soon kill the process anyway. */
const maxDrainMs = 20_000;

type Phase =
  | { readonly kind: "starting" }
  | { readonly kind: "serving"; close(work: RunningWork): Promise<void> }
  | {
      readonly kind: "draining";
      readonly sinceMs: number;
      /** Exit code of a drain that is cut short. */
      readonly brokenOffCode: number;
    };

/** A hang-up is the terminal's end, or that of the process that started us. */
const stopSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Set by `scripts/start.mjs`, which runs the program in its own process: the parent whose end ends the host too. */
const parentKey = Symbol.for("holdfast.parentPid");

/** npm passes on the signal that its whole group got: the same one, not a second one. */
const echoMs = 500;

/** Serves until a signal comes; then drains and ends the process. */
export async function serveUntilStopped(
  options: ServeOptions,
  startHost: StartHost,
  watchdogTimes: WatchdogTimes | undefined,
): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`);
  // Before anything is started that inherits it: commands and agents are ended before their host.
  protectFromOomKiller();
  const redactor = new Redactor();
  const log = createLog(process.stderr, { redactor });
  // Rejections that nobody handles come here too.
  process.on("uncaughtException", (error) => endByFault(error, log));
  const { [parentKey]: parentPid } = globalThis as { readonly [parentKey]?: number };
  let phase: Phase = { kind: "starting" };
  const stop = (reason: string, work: RunningWork): void => {
    // While it starts there is nothing to drain, and what was begun is cleaned up at exit.
    if (phase.kind === "starting") process.exit(EXIT_CODES.done);
    if (phase.kind === "draining") {
      if (parentPid !== undefined && performance.now() - phase.sinceMs < echoMs) return;
      process.exit(phase.brokenOffCode);
    }
    const serving = phase;
    phase = { kind: "draining", sinceMs: performance.now(), brokenOffCode: EXIT_CODES.fault };
    log("info", `Stopping on ${reason}; a second signal stops at once`);
    void drain(() => serving.close(work), log);
  };
  const onFatal = (error: CommandError): void => {
    if (phase.kind === "draining") return;
    log("error", error.message);
    const serving = phase;
    // A service manager must not start it again, whatever breaks the drain off.
    phase = { kind: "draining", sinceMs: performance.now(), brokenOffCode: error.exitCode };
    if (serving.kind !== "serving") process.exit(error.exitCode);
    void drain(() => serving.close("keep"), log, error.exitCode);
  };
  // A limit on the size of files must end in an error of the write, not of the process.
  process.on("SIGXFSZ", () => undefined);
  const onSignal = (signal: NodeJS.Signals): void => stop(signal, "keep");
  let areSignalsTaken = false;
  const releaseSignals = (): void => {
    areSignalsTaken = false;
    for (const signal of stopSignals) process.off(signal, onSignal);
  };
  const takeSignals = (): void => {
    if (areSignalsTaken) return;
    areSignalsTaken = true;
    for (const signal of stopSignals) process.on(signal, onSignal);
  };
  takeSignals();
  try {
    const outcome = await serve(options, {
      environment: process.env,
      log,
      redactor,
      startHost,
      onStopRequest: (work) => {
        // Who asks twice in an orderly way does not mean at once.
        if (phase.kind !== "draining") stop("request", work);
      },
      onFatal,
      atExit: (cleanUp) => void process.once("exit", cleanUp),
    });
    if (outcome.kind === "serving") phase = outcome;
    await print(options.json === true ? readyLine(outcome.ready) : await readyPage(outcome.ready));
    if (outcome.kind === "already-running") process.exit(EXIT_CODES.done);
    // Only now: what a start does in one go, such as a migration, may take as long as it needs.
    startWatchdog({
      home: outcome.ready.home,
      times: watchdogTimes,
      parentPid,
      actions: {
        releaseSignals,
        takeSignals,
        stop: () => stop("the end of npm", "keep"),
        end: () => process.exit(EXIT_CODES.hung),
      },
    });
  } catch (error) {
    endByFault(error, log);
  }
}

/** With a reason to end, its exit code counts, whatever else goes wrong. */
async function drain(close: () => Promise<void>, log: Log, fatalCode?: number): Promise<void> {
  setTimeout(() => {
    log("error", `Stopping took longer than ${maxDrainMs / 1000} s and was aborted`);
    process.exit(fatalCode ?? EXIT_CODES.fault);
  }, maxDrainMs);
  try {
    await close();
    process.exit(fatalCode ?? EXIT_CODES.done);
  } catch (error) {
    if (fatalCode !== undefined) process.exit(fatalCode);
    endByFault(error, log);
  }
}

/** Ends at once. Children need no care: the process port's helper ends them when this process is gone. */
function endByFault(error: unknown, log: Log): never {
  if (error instanceof CommandError) {
    log("error", error.message, { code: error.code });
    process.exit(error.exitCode);
  }
  log("error", "The host ended because of an error", { error });
  process.exit(EXIT_CODES.fault);
}

function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    // A reader that has gone away wants no more; that is no reason to fail.
    process.stdout.write(text, () => resolve());
  });
}

/** The only line on stdout under `--json`. The token is not in it: output ends up in logs. */
function readyLine({ url, home }: ReadyHost): string {
  const ahpUrl = `${url.replace(/^http/, "ws")}/ahp`;
  return `${JSON.stringify({ event: "ready", url, ahpUrl, tokenFile: path.join(home, TOKEN_FILE) })}\n`;
}

/** The same for people: where to go, where things are kept, what to try. */
async function readyPage({ url, home, otherPid, signInUrl }: ReadyHost): Promise<string> {
  const title =
    otherPid === undefined ? "Holdfast is running." : `Holdfast is already running (process ${otherPid}).`;
  const tokenFile = quote(path.join(home, TOKEN_FILE));
  const link = await signInUrl();
  const how =
    link === undefined
      ? "(asks for the token; `holdfast open` makes a link that signs in)"
      : "(signs one browser in, once, within 10 minutes; `holdfast open` makes another link)";
  return [
    title,
    "",
    `  Open  ${link ?? url}`,
    `        ${how}`,
    `  Home  ${home}`,
    // From a pipe: other users can see the arguments of a program.
    `  Try   sed 's/^/x-api-key: /' ${tokenFile} | curl -H @- ${url}${OPERATIONS.listAgents.path}`,
    "",
    "",
  ].join("\n");
}
