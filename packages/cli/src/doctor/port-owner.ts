// Finds out which process listens on a port, as far as /proc tells.
import { readFileSync, readdirSync, readlinkSync } from "node:fs";

/** A process that listens. */
export interface PortOwner {
  readonly pid: number;
  /** Its command line, shortened. */
  readonly command: string;
}

/** The kernel's number for a socket that listens. */
const listening = "0A";
const longestCommand = 120;

/** Who listens on a port; undefined where nobody does, or where it is not ours to see. */
export function findPortOwner(port: number): PortOwner | undefined {
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
