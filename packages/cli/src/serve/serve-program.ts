// The life of a host in this process: signals, drain, faults (C12).
import process from "node:process";
import { Redactor, type Log } from "@holdfast/core";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { createLog } from "./log.ts";
import { readyLine, readyPage } from "./ready.ts";
import { serve, type ServeOptions, type StartHost } from "./serve.ts";

/** A drain that takes longer is broken off: whoever sent the signal would soon kill us anyway. */
const maxDrainMs = 20_000;

type Phase =
  | { readonly kind: "starting" }
  | { readonly kind: "serving"; close(): Promise<void> }
  | { readonly kind: "draining" };

/** Serves until a signal comes; then drains and ends the process. */
export async function serveUntilStopped(options: ServeOptions, startHost: StartHost): Promise<void> {
  const redactor = new Redactor();
  const log = createLog(process.stderr, { redactor });
  // Rejections that nobody handles come here too.
  process.on("uncaughtException", (error) => endByFault(error, log));
  let phase: Phase = { kind: "starting" };
  const onSignal = (signal: NodeJS.Signals): void => {
    // While it starts there is nothing to drain, and what was begun is cleaned up at exit.
    if (phase.kind === "starting") process.exit(EXIT_CODES.done);
    if (phase.kind === "draining") process.exit(EXIT_CODES.fault);
    const serving = phase;
    phase = { kind: "draining" };
    log("info", `Stopping on ${signal}; a second signal stops at once`);
    void drain(() => serving.close(), log);
  };
  process.on("SIGTERM", onSignal).on("SIGINT", onSignal);
  try {
    const outcome = await serve(options, {
      environment: process.env,
      log,
      redactor,
      startHost,
      atExit: (cleanUp) => void process.once("exit", cleanUp),
    });
    if (outcome.kind === "serving") phase = outcome;
    await print(options.json === true ? readyLine(outcome.ready) : readyPage(outcome.ready));
    if (outcome.kind === "already-running") process.exit(EXIT_CODES.done);
  } catch (error) {
    endByFault(error, log);
  }
}

async function drain(close: () => Promise<void>, log: Log): Promise<void> {
  setTimeout(() => {
    log("error", `Stopping took longer than ${maxDrainMs / 1000} s and was broken off`);
    process.exit(EXIT_CODES.fault);
  }, maxDrainMs);
  try {
    await close();
    process.exit(EXIT_CODES.done);
  } catch (error) {
    endByFault(error, log);
  }
}

/** Ends at once. Children need no care: the keeper's helper ends them when this process is gone. */
function endByFault(error: unknown, log: Log): never {
  if (error instanceof CommandError) {
    log("error", error.message);
    process.exit(error.exitCode);
  }
  log("error", "The host ended by a fault", { error });
  process.exit(EXIT_CODES.fault);
}

function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    // A reader that has gone away wants no more; that is no reason to fail.
    process.stdout.write(text, () => resolve());
  });
}
