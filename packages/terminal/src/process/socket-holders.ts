// Finds the processes that hold sockets: one search through all descriptors at a time, for all sockets that are asked for.
import { readdirSync, readlinkSync, statSync } from "node:fs";

/** A socket: the user who opened it, and its number in the kernel. */
export interface PeerSocket {
  readonly uid: number;
  readonly inode: string;
}

interface Wanted {
  readonly socket: PeerSocket;
  readonly resolve: (pid: number | undefined) => void;
}

/** Below what a person or a stream would notice; then other work comes first. */
const sliceMs = 1;

/**
 * Several searches at once would each take their slice in the same tick, and hold up everything else for the sum of
 * them. So those that ask during a search share the next one (T703).
 */
export class SocketHolders {
  readonly #waiting: Wanted[] = [];
  #isSearching = false;

  /** The process that has the socket open; undefined when none of its user's has. */
  find(socket: PeerSocket): Promise<number | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push({ socket, resolve });
      if (!this.#isSearching) void this.#searchAll();
    });
  }

  async #searchAll(): Promise<void> {
    this.#isSearching = true;
    while (this.#waiting.length > 0) {
      // Those that ask in the same tick come along.
      await nextTick();
      await search(this.#waiting.splice(0));
    }
    this.#isSearching = false;
  }
}

/** The newest processes first: most clients have just been started. */
async function search(all: readonly Wanted[]): Promise<void> {
  const wanted = new Map<string, Wanted[]>();
  for (const each of all) {
    const link = `socket:[${each.socket.inode}]`;
    wanted.set(link, [...(wanted.get(link) ?? []), each]);
  }
  const users = new Set(all.map(({ socket }) => socket.uid));
  for await (const [pid, link] of openDescriptors(users)) {
    for (const { resolve } of wanted.get(link) ?? []) resolve(pid);
    wanted.delete(link);
    if (wanted.size === 0) return;
  }
  for (const { resolve } of [...wanted.values()].flat()) resolve(undefined);
}

/** The links of all descriptors of these users' processes; a little at a time. */
async function* openDescriptors(users: ReadonlySet<number>): AsyncGenerator<readonly [number, string]> {
  const slice = new Slice();
  for (const pid of newestPids()) {
    if (slice.isOver) await slice.next();
    const uid = statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid;
    if (uid === undefined || !users.has(uid)) continue;
    for (const descriptor of listDescriptors(pid)) {
      if (slice.isOver) await slice.next();
      const link = readLink(`/proc/${pid}/fd/${descriptor}`);
      if (link !== undefined) yield [pid, link];
    }
  }
}

/** A piece of work after which other work comes first. */
class Slice {
  #endMs = performance.now() + sliceMs;

  get isOver(): boolean {
    return performance.now() > this.#endMs;
  }

  async next(): Promise<void> {
    await nextTick();
    this.#endMs = performance.now() + sliceMs;
  }
}

function newestPids(): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid > 0)
    .toSorted((one, other) => other - one);
}

function listDescriptors(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch {
    // It is gone, or hides its descriptors from us.
    return [];
  }
}

function readLink(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // Closed since it was listed.
    return undefined;
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
