// The working tree of a repository in an index of ours: brought up to date at bounded cost, and kept as trees.
import { lstat, rm } from "node:fs/promises";
import path from "node:path";
import { HostError } from "@holdfast/protocol";
import { type Git, GitError } from "./git.ts";
import { copyExclude, type Repository, ownEnvironment, repositoryEnvironment } from "./repository.ts";
import { ControlFiles, isSpecial } from "./special-files.ts";

/** Why a file is not compared. */
export type OmittedReason = "too-large" | "too-many" | "nested-repository" | "not-a-file" | "unreadable";

/** A file that is left out, so that a huge or strange tree costs no more than any other. */
export interface OmittedFile {
  /** As bytes, since names need not be text. */
  readonly path: Buffer;
  readonly reason: OmittedReason;
}

/** Bounds on what a working tree may cost. */
export interface TreeBounds {
  /** A larger file is not read. */
  readonly maxFileBytes: number;
  /** Files that the repository does not track: how many are added, and how much in all. */
  readonly maxUntrackedFiles: number;
  readonly maxUntrackedBytes: number;
}

const TREE_BOUNDS: TreeBounds = {
  maxFileBytes: 8 * 1024 * 1024,
  maxUntrackedFiles: 5000,
  maxUntrackedBytes: 128 * 1024 * 1024,
};

/** How much the list of changed names may have: about a hundred thousand names. */
const maxListBytes = 8 * 1024 * 1024;

/** A path that differs from the index. */
interface Candidate {
  readonly path: Buffer;
  readonly isTracked: boolean;
  readonly isDeleted: boolean;
}

/** One working tree. Calls must not overlap. */
export class WorkingTree {
  readonly #git: Git;
  readonly #repository: Repository;
  readonly #bounds: TreeBounds;
  readonly #controlFiles: ControlFiles;
  #isSeeded = false;
  #excludeState: string | undefined;
  readonly #untracked: UntrackedFiles;

  constructor(git: Git, repository: Repository, bounds: TreeBounds = TREE_BOUNDS) {
    this.#git = git;
    this.#repository = repository;
    this.#bounds = bounds;
    this.#untracked = new UntrackedFiles(bounds);
    this.#controlFiles = new ControlFiles(repository.top, repository.prefix);
  }

  /** Brings our index in line with the files of the session's folder; gives those that were left out. */
  async refresh(): Promise<readonly OmittedFile[]> {
    const unread = await this.#requireAttributes();
    this.#excludeState = await copyExclude(this.#git, this.#repository, this.#excludeState);
    if (!this.#isSeeded) await this.#seed();
    this.#isSeeded = true;
    try {
      const { wanted, omitted } = await this.#choose(await this.#listCandidates(unread.length > 0));
      await this.#update(wanted, omitted);
      return [...unread, ...omitted];
    } catch (error) {
      if (!isTimeout(error)) throw error;
      // It may have waited for a file that never ends.
      await this.#controlFiles.search();
      await this.#requireAttributes();
      throw error;
    }
  }

  /** Gives the `.gitignore` files that cannot be read; git would wait for them and for such attributes (C866). */
  async #requireAttributes(): Promise<readonly OmittedFile[]> {
    const { ignore, attributes } = await this.#controlFiles.findSpecial();
    const [blocking] = attributes;
    if (blocking !== undefined) {
      const message = `${blocking} is a FIFO, a socket or a device, which git cannot read. Remove it to see the changes.`;
      throw new HostError("CHANGES_UNAVAILABLE", message);
    }
    return ignore.map((file) => ({ path: Buffer.from(file), reason: "not-a-file" as const }));
  }

  /** The tree of the index as it is. */
  async writeTree(): Promise<string> {
    try {
      return await this.#writeTree();
    } catch (error) {
      if (!(error instanceof GitError) || error.limit !== undefined) throw error;
      // An index that was copied in the middle of a merge, or in pieces, has no tree.
      await this.#readHead();
      await this.refresh();
      return this.#writeTree();
    }
  }

  async #writeTree(): Promise<string> {
    return (await this.#run(["write-tree"])).toString("latin1").trim();
  }

  /** Starts from the repository's own index, which knows the unchanged files; reading them all would take long. */
  async #seed(): Promise<void> {
    const { own, index, top } = this.#repository;
    const file = path.join(own, "index");
    if ((await lstat(file).catch(() => undefined)) !== undefined) return;
    if ((await lstat(index).catch(() => undefined))?.isFile() === false) return this.#readHead();
    // In the isolation, since an agent may have put a link in its place.
    const args = ["--", index, file];
    const copied = await this.#git
      .run({ program: "cp", args, cwd: top, env: {} })
      .then(
        () => this.#run(["ls-files", "-z", "--cached", "--", ".holdfast-none"]),
        () => undefined,
      )
      .catch(() => undefined);
    if (copied === undefined) await this.#readHead();
  }

  async #readHead(): Promise<void> {
    await rm(path.join(this.#repository.own, "index"), { force: true });
    const head = await readHead(this.#git, this.#repository);
    await this.#run(["read-tree", head ?? "--empty"]);
  }

  /** `isTrackedOnly`: without the names that no `.gitignore` was asked about. */
  async #listCandidates(isTrackedOnly: boolean): Promise<readonly Candidate[]> {
    const tracked = ["ls-files", "-z", "-t", "-m", "-d"];
    const scope = ["--", ...this.#scope];
    if (isTrackedOnly) return readCandidates(await this.#list([...tracked, ...scope]));
    try {
      return readCandidates(await this.#list([...tracked, "-o", "--exclude-standard", ...scope]));
    } catch (error) {
      if (!(error instanceof GitError) || error.limit === undefined) throw error;
      if (isTimeout(error)) {
        await this.#controlFiles.search();
        await this.#requireAttributes();
      }
      return readCandidates(await this.#list([...tracked, ...scope]));
    }
  }

  #list(args: readonly string[]): Promise<Buffer> {
    return this.#run(args, undefined, maxListBytes);
  }

  async #choose(
    candidates: readonly Candidate[],
  ): Promise<{ readonly wanted: Buffer[]; readonly omitted: OmittedFile[] }> {
    const wanted = candidates.filter(({ isDeleted }) => isDeleted).map((each) => each.path);
    // Before the new ones, which take their room.
    for (const name of wanted) this.#untracked.remove(name);
    const omitted: OmittedFile[] = [];
    for (const { path: name, isTracked, isDeleted } of candidates) {
      if (isDeleted) continue;
      if (!isTracked && name.at(-1) === slash) {
        omitted.push({ path: name, reason: "nested-repository" });
        continue;
      }
      const sizeBytes = await this.#sizeOf(name);
      if (sizeBytes === undefined) {
        omitted.push({ path: name, reason: "not-a-file" });
        continue;
      }
      if (sizeBytes > this.#bounds.maxFileBytes) {
        omitted.push({ path: name, reason: "too-large" });
        continue;
      }
      const isUntracked = !isTracked || this.#untracked.has(name);
      if (isUntracked && !this.#untracked.add(name, sizeBytes)) {
        omitted.push({ path: name, reason: "too-many" });
        continue;
      }
      wanted.push(name);
    }
    return { wanted, omitted };
  }

  /** Undefined for a FIFO, a socket or a device, which git takes for an error of the whole run (C866). */
  async #sizeOf(name: Buffer): Promise<number | undefined> {
    const place = Buffer.concat([Buffer.from(`${this.#repository.top}/`), name]);
    const found = await lstat(place).catch(() => undefined);
    if (found !== undefined && isSpecial(found)) return undefined;
    return found?.isFile() === true ? found.size : 0;
  }

  /** A file that git cannot read fails the whole run: it is found by halves and left out. */
  async #update(names: readonly Buffer[], omitted: OmittedFile[]): Promise<void> {
    if (names.length === 0) return;
    const input = Buffer.concat(names.flatMap((name) => [name, nul]));
    try {
      await this.#run(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], input);
    } catch (error) {
      if (!(error instanceof GitError) || error.limit !== undefined) throw error;
      const [first] = names;
      if (names.length === 1 && first !== undefined) {
        omitted.push({ path: first, reason: "unreadable" });
        this.#untracked.remove(first);
        return;
      }
      const middle = Math.ceil(names.length / 2);
      await this.#update(names.slice(0, middle), omitted);
      await this.#update(names.slice(middle), omitted);
    }
  }

  get #scope(): readonly string[] {
    const { prefix } = this.#repository;
    return prefix === "" ? [] : [prefix];
  }

  #run(args: readonly string[], input?: Buffer, maxOutputBytes?: number): Promise<Buffer> {
    const repository = this.#repository;
    return this.#git.run({
      args,
      cwd: repository.top,
      env: ownEnvironment(repository),
      input,
      maxOutputBytes,
    });
  }
}

/** The untracked files in our index, within bounds on their number and their size. */
class UntrackedFiles {
  readonly #bounds: TreeBounds;
  readonly #sizes = new Map<string, number>();
  #sizeBytes = 0;

  constructor(bounds: TreeBounds) {
    this.#bounds = bounds;
  }

  has(name: Buffer): boolean {
    return this.#sizes.has(name.toString("latin1"));
  }

  /** Adds a file, or notes its new size; false where there is no room. */
  add(name: Buffer, sizeBytes: number): boolean {
    const { maxUntrackedFiles, maxUntrackedBytes } = this.#bounds;
    const key = name.toString("latin1");
    const before = this.#sizes.get(key);
    const sumBytes = this.#sizeBytes - (before ?? 0) + sizeBytes;
    const isFull = before === undefined && this.#sizes.size >= maxUntrackedFiles;
    if (isFull || sumBytes > maxUntrackedBytes) return false;
    this.#sizes.set(key, sizeBytes);
    this.#sizeBytes = sumBytes;
    return true;
  }

  remove(name: Buffer): void {
    const key = name.toString("latin1");
    this.#sizeBytes -= this.#sizes.get(key) ?? 0;
    this.#sizes.delete(key);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof GitError && error.limit === "time";
}

const slash = 0x2f;
const nul = Buffer.from([0]);

/** The commit that HEAD names; undefined before the first one. */
export async function readHead(git: Git, { top, gitFolder }: Repository): Promise<string | undefined> {
  const env = { ...repositoryEnvironment(), GIT_DIR: gitFolder };
  const args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
  return git.run({ args, cwd: top, env }).then(
    (output) => output.toString("latin1").trim(),
    () => undefined,
  );
}

/** Reads `ls-files -t -z`: a letter, a space and the path of each; a path may come twice. */
function readCandidates(output: Buffer): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (let start = 0; start < output.length;) {
    const end = output.indexOf(0, start);
    if (end < 0) break;
    const letter = String.fromCharCode(output[start] ?? 0);
    const name = output.subarray(start + 2, end);
    const key = name.toString("latin1");
    const isDeleted = letter === "R" || found.get(key)?.isDeleted === true;
    found.set(key, { path: name, isTracked: letter !== "?", isDeleted });
    start = end + 1;
  }
  return [...found.values()];
}
