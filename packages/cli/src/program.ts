// The life of the program: arguments, signals, faults, exit codes (C11, C12).
import process from "node:process";
import { Redactor, type Log } from "@holdfast/core";
import { readArguments } from "./arguments.ts";
import { createLog } from "./log.ts";
import { readyLine, readyPage } from "./ready.ts";
import { serve, type ServeOptions, type ServeSurroundings, type StartHost } from "./serve.ts";
import { EXIT_CODES, StartError } from "./start-error.ts";

/** A drain that takes longer is broken off: whoever sent the signal would soon kill us anyway. */
const maxDrainMs = 20_000;

type Phase =
  | { readonly kind: "starting" }
  | { readonly kind: "serving"; close(): Promise<void> }
  | { readonly kind: "draining" };

/** Runs the program in this process, and ends the process when there is nothing more to do. */
export async function runProgram(startHost: StartHost): Promise<void> {
  const redactor = new Redactor();
  const log = createLog(process.stderr, { redactor });
  // Whoever read our output may go away; the host is needed all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  // Rejections that nobody handles come here too.
  process.on("uncaughtException", (error) => endByFault(error, log));
  try {
    const request = readArguments(process.argv.slice(2));
    if (request.kind === "serve") {
      return await serveUntilStopped(request.options, startHost, { log, redactor });
    }
    await print(request.text);
    process.exit(EXIT_CODES.done);
  } catch (error) {
    endByFault(error, log);
  }
}

async function serveUntilStopped(
  options: ServeOptions,
  startHost: StartHost,
  { log, redactor }: Pick<ServeSurroundings, "log" | "redactor">,
): Promise<void> {
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
  if (error instanceof StartError) {
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
