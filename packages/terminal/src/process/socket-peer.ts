// The process at the other end of a TCP connection on this machine, and the markers of its tree (Linux only).
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isIPv4, isIPv6 } from "node:net";
import { endianness } from "node:os";
import { MARKER_VARIABLE } from "./launch.ts";
import { platform } from "./platform.ts";
import { type PeerSocket, SocketHolders } from "./socket-holders.ts";
import { readCommandLine, readParentPid } from "./tree/process-table.ts";

/** A connection as one of its ends sees it. */
export interface SocketEnds {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

/** The process that holds the other end. */
export interface PeerProcess {
  readonly pid: number;
  /** Its command line, for people. */
  readonly command: string;
  /** The markers of the process, its ancestors and its cgroup, nearest first, without the host's own. */
  readonly markers: readonly string[];
  /** Whether it lives in a cgroup or a sandbox that this host made, with or without a marker. */
  readonly isOfHelper: boolean;
}

/** Deeper than any real tree. */
const maxAncestors = 64;
const socketTables = ["/proc/net/tcp", "/proc/net/tcp6"] as const;

/** Finds out who is at the other end of connections; undefined where that cannot be determined. */
export class SocketPeers {
  readonly #helperPid: () => number | undefined;
  readonly #holders = new SocketHolders();
  /** The terminal that the host itself was started in says nothing about its clients. */
  readonly #hostMarker = process.env[MARKER_VARIABLE];
  /** What was found out in this tick: after a restart, one process comes back with many connections at once. */
  readonly #described = new Map<number, PeerProcess>();

  /** The pid is that of the spawn helper, which names the cgroups that it makes. */
  constructor(helperPid: () => number | undefined = () => undefined) {
    this.#helperPid = helperPid;
  }

  /** The socket at the other end. */
  async findSocket(ends: SocketEnds): Promise<PeerSocket | undefined> {
    if (!platform.hasProcFs) return undefined;
    return (await this.#readTables(ends)) ?? this.#readTables(ends);
  }

  /** The tables are not read at one moment, so that a row may be missed while others come and go. */
  async #readTables(ends: SocketEnds): Promise<PeerSocket | undefined> {
    for (const [index, table] of socketTables.entries()) {
      const row = rowText(ends, index === 0 ? 4 : 6);
      const socket =
        row === undefined ? undefined : readRow(await readFile(table, "latin1").catch(() => ""), row);
      if (socket !== undefined) return socket;
    }
    return undefined;
  }

  /** The process that holds a socket. */
  async findProcess(socket: PeerSocket): Promise<PeerProcess | undefined> {
    // A program that gives the socket another number in this moment is found the second time.
    const pid = (await this.#holders.find(socket)) ?? (await this.#holders.find(socket));
    if (pid === undefined) return undefined;
    const known = this.#described.get(pid);
    if (known !== undefined) return known;
    if (this.#described.size === 0) setImmediate(() => this.#described.clear());
    const described = this.#describe(pid);
    this.#described.set(pid, described);
    return described;
  }

  #describe(pid: number): PeerProcess {
    const helperPid = this.#helperPid();
    const found = new Set<string>();
    let ancestor: number | undefined = pid;
    for (let depth = 0; depth < maxAncestors; depth += 1) {
      // Above the host are those that started it, not those that it started.
      if (ancestor === undefined || ancestor <= 1 || ancestor === process.pid) break;
      if (ancestor === helperPid) break;
      const marker = readMarker(ancestor);
      if (marker !== undefined) found.add(marker);
      ancestor = readParentPid(ancestor);
    }
    // A process that drops its parents and variables in a sandbox is left to the first process there, which the helper started.
    const isBelowHelper = ancestor !== undefined && ancestor === helperPid;
    const group = pid === process.pid ? undefined : readOwnGroup(pid, helperPid);
    if (group !== undefined && found.size === 0) {
      for (const member of readGroupMembers(group)) {
        const marker = readMarker(member);
        if (marker !== undefined) found.add(marker);
      }
    }
    if (this.#hostMarker !== undefined) found.delete(this.#hostMarker);
    const isOfHelper = isBelowHelper || group !== undefined;
    return { pid, command: readCommandLine(pid), markers: [...found], isOfHelper };
  }
}

/** The columns of the other end's row: its own address, then ours; undefined where the family does not fit. */
function rowText(ends: SocketEnds, family: 4 | 6): string | undefined {
  const own = formatAddress(ends.remoteAddress, family);
  const other = formatAddress(ends.localAddress, family);
  if (own === undefined || other === undefined) return undefined;
  return ` ${own}:${formatPort(ends.remotePort)} ${other}:${formatPort(ends.localPort)} `;
}

function readRow(table: string, row: string): PeerSocket | undefined {
  const at = table.indexOf(row);
  if (at === -1) return undefined;
  // After the addresses: state, queues, timer, retransmissions, uid, timeout, inode.
  const columns = table
    .slice(at + row.length, table.indexOf("\n", at))
    .trim()
    .split(/\s+/);
  const [uid, , inode = "0"] = columns.slice(4);
  // A socket that is being closed belongs to nobody any more.
  return inode === "0" ? undefined : { uid: Number(uid), inode };
}

function formatPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}

/** An address as the kernel's tables have it: hexadecimal words of 32 bits in the byte order of the machine. */
function formatAddress(address: string, family: 4 | 6): string | undefined {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  if (family === 4) return isIPv4(plain) ? formatWords(plain.split(".").map(Number)) : undefined;
  if (isIPv4(plain)) {
    return formatWords([...zeros(10), 255, 255, ...plain.split(".").map(Number)]);
  }
  return isIPv6(plain) ? formatWords(readIPv6(plain)) : undefined;
}

function readIPv6(address: string): number[] {
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const omitted = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...zeros(omitted), ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

function zeros(count: number): number[] {
  return Array.from({ length: Math.max(0, count) }, () => 0);
}

function formatWords(bytes: readonly number[]): string {
  const words: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.slice(at, at + 4);
    if (endianness() === "LE") word.reverse();
    words.push(word.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(""));
  }
  return words.join("");
}

const markerStart = `${MARKER_VARIABLE}=`;

/** The marker that a process was started with; undefined where it has none, or hides it. */
function readMarker(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return environment.find((entry) => entry.startsWith(markerStart))?.slice(markerStart.length);
  } catch {
    // It is gone, or another user's.
    return undefined;
  }
}

/** The group of a process if this helper made it. */
function readOwnGroup(pid: number, helperPid: number | undefined): string | undefined {
  if (helperPid === undefined) return undefined;
  try {
    const line = readFileSync(`/proc/${pid}/cgroup`, "utf8")
      .split("\n")
      .find((each) => each.startsWith("0::"));
    const group = line?.slice("0::".length) ?? "";
    return new RegExp(`/holdfast-${helperPid}-\\d+/[^/]+$`).test(group) ? group : undefined;
  } catch {
    // It is gone.
    return undefined;
  }
}

function readGroupMembers(group: string): number[] {
  try {
    return readFileSync(`/sys/fs/cgroup${group}/cgroup.procs`, "utf8").trim().split("\n").map(Number);
  } catch {
    // The hierarchy is mounted elsewhere, or the group is gone.
    return [];
  }
}
