// Starts a host that goes on running when the command that needed it has ended.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { CommandError } from "../command-error.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { HostPlace } from "./host-link.ts";

/** The name of the file in the home that holds what such a host logs. */
const logFile = "host.log";

const lastLinesShown = 5;

/** Starts the host of a home in a process of its own; done when it listens. */
export async function startInBackground(home: string, programPath: string): Promise<HostPlace> {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const logPath = path.join(home, logFile);
  const log = openSync(logPath, "a", 0o600);
  const before = fstatSync(log).size;
  const words = [...process.execArgv, programPath, "serve", "--json", "--home", home];
  const child = spawn(process.execPath, words, {
    // The host outlives this folder's interest: it must not keep it from being unmounted.
    cwd: home,
    detached: true,
    stdio: ["ignore", "pipe", log],
  });
  closeSync(log);
  const { stdout } = child;
  if (stdout === null) throw new TypeError("The pipe that was asked for is not there.");
  const lines = createInterface({ input: stdout });
  const ended = once(child, "exit").then(() => undefined);
  const ready = once(lines, "line").then(([line]) => line as string);
  const line = await Promise.race([ready, ended]);
  lines.close();
  stdout.destroy();
  child.unref();
  if (line !== undefined) return JSON.parse(line) as HostPlace;
  throw new CommandError("HOST_DID_NOT_START", `The host did not start:\n${lastLines(logPath, before)}`, {
    exitCode: child.exitCode ?? EXIT_CODES.fault,
    remedy: `Its whole log is ${logPath}; \`holdfast doctor\` looks for what is wrong.`,
  });
}

/** The last lines after an offset: those before it are of earlier hosts. */
function lastLines(file: string, offsetBytes: number): string {
  const lines = readFileSync(file).subarray(offsetBytes).toString().trimEnd().split("\n");
  return lines
    .slice(-lastLinesShown)
    .map((line) => `  ${messageOf(line)}`)
    .join("\n");
}

/** A line of the log is JSON with a message; anything else was not written by the log. */
function messageOf(line: string): string {
  try {
    const { message } = JSON.parse(line) as { message?: unknown };
    return typeof message === "string" ? message : line;
  } catch {
    return line;
  }
}
