// Checks of serving: the built page, the port, and the host that runs.
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { explainListenError, type ListenAddress } from "../serve/serve.ts";
import { messageOf, systemCode } from "../command-error.ts";
import { readToken } from "../serve/token.ts";
import { findWebRoot } from "../serve/compose.ts";
import { VERSION } from "../version.ts";
import { fix, note, ok, type CheckResult } from "./finding.ts";
import type { Machine } from "./machine.ts";

export async function examinePage(): Promise<CheckResult> {
  const folder = findWebRoot();
  if (folder !== undefined) return ok(`is served from ${folder}`);
  return note("was not built; everything but the page works", { command: "npm run build" });
}

const anyPort = "holdfast serve --port 0";

export async function examinePort(machine: Pick<Machine, "config" | "runningHost">): Promise<CheckResult> {
  const { listen } = machine.config;
  const { host, port } = listen;
  if (port === 0) return ok("any that is free, as the configuration asks");
  const fault = await tryListening(listen);
  if (fault === undefined) return ok(`${host}:${port} is free`);
  if (systemCode(fault) !== "EADDRINUSE") {
    return fix(explainListenError(fault, listen).message, {
      remedy: "Change `listen` in the configuration, or pass another address when you start the host.",
      command: systemCode(fault) === "EACCES" ? anyPort : "holdfast serve --host 127.0.0.1",
    });
  }
  const own = await machine.runningHost().catch(() => undefined);
  if (own !== undefined && portOf(own.url) === port) {
    return ok(`${port} is used by this home's host (process ${own.pid})`);
  }
  if (own !== undefined) return note(`${port} is taken; this home's host listens at ${own.url} instead`);
  const owner = findPortOwner(port);
  const who =
    owner === undefined ? "a process that you may not inspect" : `process ${owner.pid}: ${owner.command}`;
  return fix(`${port} is taken by ${who}`, {
    remedy:
      "End that process, set another `listen.port` in the configuration, or take any port that is free.",
    command: anyPort,
  });
}

async function tryListening({ host, port }: ListenAddress): Promise<unknown> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, "listening");
    return undefined;
  } catch (error) {
    return error;
  } finally {
    server.close();
  }
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

interface PortOwner {
  readonly pid: number;
  /** Its command line, shortened. */
  readonly command: string;
}

/** The kernel's number for a socket that listens. */
const listening = "0A";
const longestCommand = 120;

/** Who listens on a port; undefined where nobody does, or where it is not ours to see. */
function findPortOwner(port: number): PortOwner | undefined {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listSockets(table, port)));
  if (sockets.size === 0) return undefined;
  const pids = readdirOr("/proc").filter((name) => /^\d+$/.test(name));
  const pid = pids.find((each) => holds(`/proc/${each}/fd`, sockets));
  return pid === undefined ? undefined : { pid: Number(pid), command: readCommand(pid) };
}

function listSockets(table: string, port: number): string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, "0");
  return readOr(table)
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(`:${wanted}`) === true && fields[3] === listening)
    .map((fields) => `socket:[${fields[9]}]`);
}

function holds(folder: string, sockets: ReadonlySet<string>): boolean {
  return readdirOr(folder).some((name) => {
    try {
      return sockets.has(readlinkSync(`${folder}/${name}`));
    } catch {
      // It was closed while we looked.
      return false;
    }
  });
}

function readCommand(pid: string): string {
  const words = readOr(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return words.length > longestCommand ? `${words.slice(0, longestCommand)}…` : words;
}

/** Other people's processes, and those that just ended, have nothing for us to read. */
function readOr(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function readdirOr(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const answerMs = 3000;

/** The state of the running host; one that does not run is not started. */
export async function examineHost(machine: Pick<Machine, "home" | "runningHost">): Promise<CheckResult> {
  const host = await machine.runningHost();
  if (host === undefined) {
    return note("does not run; commands that need one start it", { command: "holdfast serve" });
  }
  const { url, pid } = host;
  const where = `${url} (process ${pid})`;
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMs) });
    if (response.ok) return await examineVersion(url, readToken(machine.home), where);
    const { error = "it gives no reason" } = (await response.json()) as { error?: string };
    return fix(`${where} runs but accepts no work: ${error}`, { command: "holdfast stop && holdfast serve" });
  } catch (error) {
    const why = messageOf(error);
    return fix(`${where} runs but does not respond: ${why}`, {
      remedy: "Stop it; the next host resumes its sessions.",
      command: `kill ${pid}`,
    });
  }
}

async function examineVersion(url: string, token: string, where: string): Promise<CheckResult> {
  const response = await fetch(`${url}/openapi.json`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(answerMs),
  });
  const { info } = (await response.json()) as { info?: { version?: string } };
  const version = info?.version ?? "unknown";
  const summary = `version ${version} is ready at ${where}`;
  if (version === VERSION) return ok(summary);
  return note(`${summary}; this program is version ${VERSION}`, {
    remedy: "Restart the host to run this version.",
    command: "holdfast stop && holdfast serve",
  });
}
