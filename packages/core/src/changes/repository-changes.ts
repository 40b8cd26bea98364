// The changes in one repository: compared, shown, reverted.
import {
  type ChangedFile,
  type ChangeList,
  type FileDiff,
  HostError,
  LIMITS,
  type RevertRequest,
} from "@holdfast/protocol";
import {
  type FileEntry,
  type FilePatch,
  readFileList,
  readPatch,
  shownPath,
  splitPatches,
} from "./diff-output.ts";
import { type Git, GitError } from "./git.ts";
import { type Repository, ownEnvironment } from "./repository.ts";
import { Snapshots, type TurnSnapshot } from "./snapshots.ts";
import { readStaged } from "./staging.ts";
import { type OmittedFile, readHead, type TreeBounds, WorkingTree } from "./working-tree.ts";

export type ChangeSummary = ChangeList["summary"];

/** Changed files, and what stands for the content of each: another content has another version. */
export interface VersionedChanges {
  readonly list: ChangeList;
  readonly versions: ReadonlyMap<string, string>;
}

/** The sides of a comparison: two trees, or a tree and the working tree. */
interface Scope {
  readonly before: string;
  readonly after: string | undefined;
  readonly turn: number | undefined;
}

interface PatchBounds {
  /** Changed lines of all files together; with lines of context, a file has at most twice as many. */
  readonly maxLines: number;
  /** Of each file. */
  readonly maxBytes: number;
}

/** Beyond these, a file's diff is left out of the diff of all files. */
const boundsOfAll: PatchBounds = { maxLines: 20_000, maxBytes: 512 * 1024 };
/** Beyond these, a file's diff is not given at all. */
const boundsOfOne: PatchBounds = { maxLines: 200_000, maxBytes: 8 * 1024 * 1024 };
/** Files that made room for others are found in the first pass; a second one fills it. */
const maxPasses = 2;
const maxDiffBytes = 16 * 1024 * 1024;
const maxContentBytes = 8 * 1024 * 1024;
/** Paths that fit into one command line. */
const maxPathsOfCall = 200;
const maxOmittedShown = 100;

/** The repository of a session's folder. Calls must not overlap. */
export class RepositoryChanges {
  readonly repository: Repository;
  readonly snapshots: Snapshots;
  readonly #git: Git;
  readonly #tree: WorkingTree;

  constructor(git: Git, repository: Repository, bounds?: TreeBounds) {
    this.#git = git;
    this.repository = repository;
    this.#tree = new WorkingTree(git, repository, bounds);
    this.snapshots = new Snapshots(git, repository);
  }

  /** The tree of the files as they are now. */
  async snapshot(): Promise<string> {
    await this.#tree.refresh();
    return this.#tree.writeTree();
  }

  /** The files that changed since the start, or in a turn; and all that is known about the comparison. */
  async list(folder: string, turn?: string): Promise<ChangeList> {
    return (await this.listVersions(folder, turn)).list;
  }

  /** The same, with the object that stands for the content of each file. */
  async listVersions(folder: string, turn?: string): Promise<VersionedChanges> {
    // From the repository's index, not from ours: it need not wait.
    const reading = turn === undefined ? readStaged(this.#git, this.repository) : undefined;
    const [{ scope, omitted }, staged] = await Promise.all([this.#prepare(turn), reading]);
    const entries = scope === undefined ? [] : await this.#compare(scope);
    const committed = turn === undefined ? await this.#findCommitted(entries) : undefined;
    const files = entries.slice(0, LIMITS.changedFiles).map((entry) => ({
      ...withStaged(entry, staged),
      ...(committed?.has(entry) && ({ isCommitted: true } as const)),
    }));
    const turns = await this.snapshots.turns();
    const versions = new Map(entries.map(({ file, object }) => [file.path, object]));
    const list: ChangeList = {
      source: "git",
      folder,
      ...(scope?.turn !== undefined && { turn: scope.turn }),
      turns: turns.map(({ number }) => number),
      summary: summarize(entries),
      files,
      omitted: omitted.slice(0, maxOmittedShown).map(({ path, reason }) => ({
        path: shownPath(path.toString("latin1"), this.repository.prefix),
        reason,
      })),
      isComplete: omitted.length === 0 && files.length === entries.length,
    };
    return { list, versions };
  }

  /** The content of a changed file on one side; a name that is no text cannot be asked for. */
  async content(turn: string | undefined, path: string, side: "before" | "after"): Promise<Uint8Array> {
    const { scope } = await this.#prepare(turn);
    const entries = scope === undefined ? [] : await this.#compare(scope);
    const { file, path: now, oldPath = now } = findEntry(entries, path);
    const name = (side === "before" ? oldPath : now).toString("utf8");
    const isAbsent = file.status === (side === "before" ? "added" : "deleted");
    if (isAbsent || scope === undefined || file.kind === "submodule") {
      throw new HostError("NOT_FOUND", `${path} has no content ${side} the change.`);
    }
    // Without a tree, the working tree is meant, which our index has just been brought in line with.
    const tree = side === "before" ? scope.before : (scope.after ?? "");
    return this.#run(["cat-file", "blob", `${tree}:${name}`], { maxOutputBytes: maxContentBytes });
  }

  /** Counts of all changes since the start; undefined before the first turn. */
  async summary(): Promise<ChangeSummary | undefined> {
    const { scope } = await this.#prepare(undefined);
    return scope && summarize(await this.#compare(scope));
  }

  /** The same for a tree that was just taken. */
  async summarizeAt(tree: string): Promise<ChangeSummary | undefined> {
    const start = await this.snapshots.start();
    if (start === undefined) return undefined;
    return summarize(await this.#compare({ before: start, after: tree, turn: undefined }));
  }

  /** Every changed file, as git needs it. */
  async entries(): Promise<readonly FileEntry[]> {
    const { scope } = await this.#prepare(undefined);
    return scope === undefined ? [] : this.#compare(scope);
  }

  async diff(
    turn: string | undefined,
    path: string | undefined,
  ): Promise<{ diffs: FileDiff[]; isComplete: boolean }> {
    const { scope, omitted } = await this.#prepare(turn);
    const entries = scope === undefined ? [] : await this.#compare(scope);
    const wanted = path === undefined ? entries : [findEntry(entries, path)];
    const bounds = path === undefined ? boundsOfAll : boundsOfOne;
    const patches =
      scope === undefined ? new Map<string, FilePatch>() : await this.#patchesOf(scope, wanted, bounds);
    const diffs = wanted.slice(0, LIMITS.changedFiles).map(({ file }): FileDiff => {
      const patch = patches.get(file.path);
      if (patch === undefined) {
        const canReadAlone = path === undefined && linesOf(file) <= boundsOfOne.maxLines;
        return { file, hunks: [], isTooLarge: true, ...(canReadAlone && { canReadAlone }) };
      }
      return { file, hunks: patch.hunks.map(({ shown }) => shown) };
    });
    const isWhole = diffs.length === wanted.length && diffs.every(({ isTooLarge }) => isTooLarge !== true);
    return { diffs, isComplete: isWhole && (path !== undefined || omitted.length === 0) };
  }

  /** Undoes changes in the working tree: all of them, or none if one does not apply any more. */
  async revert({ turn, files }: RevertRequest): Promise<void> {
    const { scope } = await this.#prepare(turn);
    const entries = scope === undefined ? [] : await this.#compare(scope);
    const pieces: string[] = [];
    for (const { path, hunks } of files) {
      const entry = findEntry(entries, path);
      if (entry.file.kind === "submodule") {
        const message = `${path} is a submodule, which cannot be reverted here. Use git in a terminal.`;
        throw new HostError("INVALID_REQUEST", message);
      }
      if (scope !== undefined) pieces.push(await this.#patchToRevert(scope, entry, hunks));
    }
    const args = ["apply", "--reverse", "--whitespace=nowarn", "-"];
    try {
      await this.#run(args, { input: Buffer.from(pieces.join(""), "latin1") });
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      throw new HostError("CHANGES_CONFLICT", `The changes do not apply in reverse: ${error.message}.`, {
        cause: error,
      });
    }
  }

  async #patchToRevert(
    scope: Scope,
    entry: FileEntry,
    hunks: readonly string[] | undefined,
  ): Promise<string> {
    const sections = await this.#sectionsOf(scope, ["-p", "--binary", "--full-index"], [entry]);
    const patch = readPatch(sections.get(entry.file.path) ?? "");
    if (hunks === undefined || entry.file.status === "type-changed") return patch.raw;
    const chosen = patch.hunks.filter(({ shown }) => hunks.includes(shown.id));
    if (chosen.length !== new Set(hunks).size) throw new HostError("CHANGES_CONFLICT");
    if (chosen.length === patch.hunks.length) return patch.raw;
    // Of a file that was renamed or whose mode changed, only lines are undone.
    const line = patch.header
      .split("\n")
      .find((each) => each.startsWith("+++ b/") || each.startsWith('+++ "b/'));
    // A name with a space ends in a tab here.
    const now = (line ?? "").slice("+++ ".length).replace(/\t$/, "");
    const old = now.replace(/^("?)b\//, "$1a/");
    const header = `diff --git ${old} ${now}\n--- ${old}\t\n+++ ${now}\t\n`;
    return `${header}${chosen.map((each) => each.raw).join("")}`;
  }

  /** Finds what is to be compared, and brings the index in line with the files if they are. */
  async #prepare(
    turn: string | undefined,
  ): Promise<{ readonly scope: Scope | undefined; readonly omitted: readonly OmittedFile[] }> {
    const found = turn === undefined ? undefined : await this.#findTurn(turn);
    if (found?.after !== undefined) {
      const { before, after, number } = found;
      return { scope: { before, after, turn: number }, omitted: [] };
    }
    const start = found?.before ?? (await this.snapshots.start());
    const omitted = await this.#tree.refresh();
    const scope = start === undefined ? undefined : { before: start, after: undefined, turn: found?.number };
    return { scope, omitted };
  }

  /** The files that HEAD has as they are now. Our index must be up to date. */
  async #findCommitted(entries: readonly FileEntry[]): Promise<ReadonlySet<FileEntry>> {
    const head = entries.length === 0 ? undefined : await readHead(this.#git, this.repository);
    if (head === undefined) return new Set();
    const scope = this.#pathspecs([]);
    const args = ["diff-index", "--cached", "-r", "-z", "--name-only", "--no-renames", head, "--", ...scope];
    const output = await this.#run(args);
    const differing = new Set(output.toString("latin1").split("\0"));
    const isCommitted = (name: Buffer | undefined): boolean =>
      name === undefined || !differing.has(name.toString("latin1"));
    return new Set(entries.filter(({ path, oldPath }) => isCommitted(path) && isCommitted(oldPath)));
  }

  async #findTurn(turn: string): Promise<TurnSnapshot> {
    const found = await this.snapshots.find(turn);
    if (found !== undefined) return found;
    throw new HostError(
      "NOT_FOUND",
      `There is no snapshot of turn ${turn}. The newest 200 turns have one; list the changes to see which.`,
    );
  }

  async #compare(scope: Scope): Promise<readonly FileEntry[]> {
    return readFileList(await this.#diff(scope, ["-z", "--raw", "--numstat"], []), this.repository.prefix);
  }

  /** The patches of files by their paths; those that are too large are not there, and do not count. */
  async #patchesOf(
    scope: Scope,
    entries: readonly FileEntry[],
    bounds: PatchBounds,
  ): Promise<Map<string, FilePatch>> {
    const patches = new Map<string, FilePatch>();
    let left = entries;
    let freeLines = bounds.maxLines;
    for (let pass = 0; pass < maxPasses && left.length > 0; pass += 1) {
      const wanted = fittingEntries(left, freeLines);
      for (let at = 0; at < wanted.length; at += maxPathsOfCall) {
        const part = wanted.slice(at, at + maxPathsOfCall);
        for (const [{ file }, patch] of await this.#readPatches(scope, part, bounds)) {
          patches.set(file.path, patch);
          freeLines -= linesOf(file);
        }
      }
      const read = new Set(wanted);
      left = left.filter((entry) => !read.has(entry));
    }
    return patches;
  }

  /** The patches of a few files, without those that are too large. */
  async #readPatches(
    scope: Scope,
    entries: readonly FileEntry[],
    { maxLines, maxBytes }: PatchBounds,
  ): Promise<readonly (readonly [FileEntry, FilePatch])[]> {
    const sections = await this.#sectionsOf(scope, ["-p"], entries).catch((error: unknown) => {
      if (error instanceof GitError && error.limit === "output") return undefined;
      throw error;
    });
    return entries.flatMap((entry) => {
      const raw = sections?.get(entry.file.path) ?? "";
      const isGiven = raw !== "" && raw.length <= maxBytes && hasAtMostLines(raw, 2 * maxLines);
      return isGiven ? [[entry, readPatch(raw)] as const] : [];
    });
  }

  /** The text of each file's patch, by its path. The names in patches are quoted, so their order tells whose they are. */
  async #sectionsOf(
    scope: Scope,
    format: readonly string[],
    entries: readonly FileEntry[],
  ): Promise<ReadonlyMap<string, string>> {
    const list = await this.#diff(scope, ["-z", "--raw", "--numstat"], entries);
    const sections = splitPatches(await this.#diff(scope, format, entries));
    const found = new Map<string, string>();
    let next = 0;
    for (const { file } of readFileList(list, this.repository.prefix)) {
      // One that changed its type is shown as removed and added.
      const count = file.status === "type-changed" ? 2 : 1;
      found.set(file.path, sections.slice(next, next + count).join(""));
      next += count;
    }
    // Else some would be shown, and reverted, as those of another file.
    if (next !== sections.length) {
      const counts = `git listed ${next} files and printed ${sections.length} diffs`;
      const message = `${counts}, which cannot be matched. List the changes again, or use git in a terminal.`;
      throw new HostError("CHANGES_UNAVAILABLE", message);
    }
    return found;
  }

  #diff(scope: Scope, format: readonly string[], entries: readonly FileEntry[]): Promise<Buffer> {
    const { before, after } = scope;
    const trees = after === undefined ? ["diff-index", "--cached"] : ["diff-tree"];
    const options = ["-r", "-M", "-l1000", "--no-ext-diff", "--no-textconv", "--no-color", ...format];
    const sides = after === undefined ? [before] : [before, after];
    return this.#run([...trees, ...options, ...sides, "--", ...this.#pathspecs(entries)], {
      maxOutputBytes: maxDiffBytes,
    });
  }

  /** Both names of each file, so that a rename is still seen as one. A name that is no text cannot be an argument. */
  #pathspecs(entries: readonly FileEntry[]): readonly string[] {
    const { prefix } = this.repository;
    const whole = prefix === "" ? [] : [prefix];
    if (entries.length === 0) return whole;
    const names = entries.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
    const texts = names.map((name) => name.toString("utf8"));
    return texts.every((text, index) => names[index]?.equals(Buffer.from(text)) === true) ? texts : whole;
  }

  #run(
    args: readonly string[],
    more: { readonly input?: Buffer; readonly maxOutputBytes?: number } = {},
  ): Promise<Buffer> {
    const { repository } = this;
    return this.#git.run({ args, cwd: repository.top, env: ownEnvironment(repository), ...more });
  }
}

/** The entry of a path as the list shows it. */
export function findEntry(entries: readonly FileEntry[], path: string): FileEntry {
  const found = entries.find(({ file }) => file.path === path);
  if (found !== undefined) return found;
  throw new HostError("NOT_FOUND", `${path} has not changed. List the changes to see which files have.`);
}

function linesOf({ additions, deletions }: ChangedFile): number {
  return additions + deletions;
}

/** The files whose changed lines fit, in their order; one that does not fit leaves its room to the next. */
function fittingEntries(entries: readonly FileEntry[], maxLines: number): readonly FileEntry[] {
  let lines = 0;
  return entries.filter(({ file }) => {
    if (lines + linesOf(file) > maxLines) return false;
    lines += linesOf(file);
    return true;
  });
}

function hasAtMostLines(patch: string, maxLines: number): boolean {
  let at = -1;
  for (let lines = 0; lines <= maxLines; lines += 1) {
    at = patch.indexOf("\n", at + 1);
    if (at < 0) return true;
  }
  return false;
}

function summarize(entries: readonly FileEntry[]): ChangeSummary {
  let additions = 0;
  let deletions = 0;
  for (const { file } of entries) {
    additions += file.additions;
    deletions += file.deletions;
  }
  return { files: entries.length, additions, deletions };
}

function withStaged(
  { file, path, object }: FileEntry,
  staged: Awaited<ReturnType<typeof readStaged>> | undefined,
): ChangedFile {
  const inIndex = staged?.get(path.toString("latin1"));
  if (inIndex === undefined) return file;
  return { ...file, staged: inIndex.object === object ? "full" : "partial" };
}
