// Snapshots of a working tree before and after each turn, as refs in our own git folder: `refs/holdfast/…`.
import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { type Git, GitError } from "./git.ts";
import { type Repository, ownEnvironment } from "./repository.ts";

/** The trees of one turn. */
export interface TurnSnapshot {
  /** Counts the session's turns from 1. */
  readonly number: number;
  /** Stands for the turn's id, which may have any characters. */
  readonly mark: string;
  readonly before: string;
  /** Absent while the turn runs, and for one that the host did not see end. */
  readonly after?: string;
}

/** How much is kept. */
interface SnapshotBounds {
  /** How many turns keep their snapshots; the start of the session always does. */
  readonly maxTurns: number;
  /** After how many turns what older ones alone need is removed from the disk. */
  readonly pruneEvery: number;
}

const SNAPSHOT_BOUNDS: SnapshotBounds = { maxTurns: 200, pruneEvery: 50 };
const startRef = "refs/holdfast/start";

/** The id of a loose object and its type, as `git prune` lists it; the id is the name of its file. */
const listedObject = /(?<![^\n])([0-9a-f]{2})([0-9a-f]{38,62}) [a-z]+\n/g;

/** The snapshots of one repository. Calls must not overlap. */
export class Snapshots {
  readonly #git: Git;
  readonly #repository: Repository;
  readonly #bounds: SnapshotBounds;
  #start: string | undefined;
  #turns: TurnSnapshot[] | undefined;

  constructor(git: Git, repository: Repository, bounds: SnapshotBounds = SNAPSHOT_BOUNDS) {
    this.#git = git;
    this.#repository = repository;
    this.#bounds = bounds;
  }

  /** The tree before the first turn; undefined when none has begun. */
  async start(): Promise<string | undefined> {
    await this.#load();
    return this.#start;
  }

  /** The turns with snapshots, oldest first. */
  async turns(): Promise<readonly TurnSnapshot[]> {
    return this.#load();
  }

  /** A turn by its number or its id. Only the newest may still change: another without an end ends with the next. */
  async find(turn: string): Promise<TurnSnapshot | undefined> {
    const turns = await this.#load();
    const mark = markOf(turn);
    const index = turns.findIndex((each) => each.mark === mark || `${each.number}` === turn);
    const found = turns[index];
    const after = found?.after ?? turns[index + 1]?.before;
    return found && { ...found, ...(after !== undefined && { after }) };
  }

  /** A turn begins. One that is resumed keeps the tree of its first beginning. */
  async begin(turnId: string, tree: string): Promise<void> {
    const turns = await this.#load();
    const mark = markOf(turnId);
    if (turns.some((each) => each.mark === mark)) return;
    const { maxTurns } = this.#bounds;
    const turn = { number: (turns.at(-1)?.number ?? 0) + 1, mark, before: tree };
    const removed = turns.length < maxTurns ? [] : turns.splice(0, turns.length - maxTurns + 1);
    turns.push(turn);
    const lines = [`create ${refOf(turn)}/before ${tree}`];
    if (this.#start === undefined) lines.push(`create ${startRef} ${tree}`);
    for (const old of removed) {
      lines.push(`delete ${refOf(old)}/before`);
      if (old.after !== undefined) lines.push(`delete ${refOf(old)}/after`);
    }
    this.#start ??= tree;
    await this.#updateRefs(lines);
  }

  async end(turnId: string, tree: string): Promise<void> {
    const turns = await this.#load();
    const mark = markOf(turnId);
    const index = turns.findIndex((each) => each.mark === mark);
    const turn = turns[index];
    if (turn === undefined) return;
    turns[index] = { ...turn, after: tree };
    await this.#updateRefs([`update ${refOf(turn)}/after ${tree}`]);
  }

  /** To be called after each turn: now and then, it removes what no snapshot and not our index needs any more. */
  async prune(): Promise<void> {
    const { maxTurns, pruneEvery } = this.#bounds;
    const number = (await this.#load()).at(-1)?.number ?? 0;
    if (number <= maxTurns || number % pruneEvery !== 0) return;
    // It would also remove what the repository has in a pack, and may lose at any time: so git only lists.
    const listed = await this.#run(["prune", "--dry-run"]).catch((error: unknown) => {
      // Such as one that took too long; it is tried again later.
      if (error instanceof GitError) return Buffer.alloc(0);
      throw error;
    });
    for (const [, folder = "", name = ""] of listed.toString("latin1").matchAll(listedObject)) {
      await rm(path.join(this.#repository.own, "objects", folder, name), { force: true });
    }
  }

  async #updateRefs(lines: readonly string[]): Promise<void> {
    await this.#run(["update-ref", "--stdin"], Buffer.from(`${lines.join("\n")}\n`));
  }

  async #load(): Promise<TurnSnapshot[]> {
    if (this.#turns !== undefined) return this.#turns;
    const output = await this.#run(["for-each-ref", "--format=%(refname) %(objectname)", "refs/holdfast/"]);
    const turns = new Map<string, TurnSnapshot>();
    for (const line of output.toString("latin1").split("\n")) {
      const [ref = "", tree = ""] = line.split(" ");
      if (ref === startRef) this.#start = tree;
      const [, number, mark, side] =
        /^refs\/holdfast\/turn\/(\d+)-([0-9a-f]+)\/(before|after)$/.exec(ref) ?? [];
      if (number === undefined || mark === undefined || side === undefined) continue;
      const known = turns.get(mark) ?? { number: Number(number), mark, before: "" };
      turns.set(mark, { ...known, [side]: tree });
    }
    const whole = [...turns.values()].filter(({ before }) => before !== "");
    this.#turns = whole.toSorted((one, other) => one.number - other.number);
    return this.#turns;
  }

  #run(args: readonly string[], input?: Buffer): Promise<Buffer> {
    const repository = this.#repository;
    return this.#git.run({ args, cwd: repository.top, env: ownEnvironment(repository), input });
  }
}

function refOf({ number, mark }: Pick<TurnSnapshot, "number" | "mark">): string {
  return `refs/holdfast/turn/${number}-${mark}`;
}

function markOf(turnId: string): string {
  return createHash("sha256").update(turnId).digest("hex").slice(0, 32);
}
