// Watches a file, a folder, or a folder with all below it, and reports what changed in batches.
import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { HostError } from "@holdfast/protocol";
import { matcherOf } from "./path-patterns.ts";

/** Extent of a watch; patterns are relative to its root. */
export interface WatchOptions {
  readonly isRecursive: boolean;
  /** Absent: everything. */
  readonly includes?: readonly string[] | undefined;
  readonly excludes?: readonly string[] | undefined;
}

/** A change of one file or folder. */
export interface PathChange {
  readonly path: string;
  readonly type: "added" | "updated" | "deleted";
}

/** Receives a batch of changes, which is never empty. */
export type ChangeListener = (changes: readonly PathChange[]) => void;

/** How long changes are collected before they are reported. */
const debounceMs = 100;
/** More at once are reported as one change of the whole. */
const maxChanges = 1000;
const maxFolders = 4096;

/**
 * Watches until `close`. What happened to a path is found by looking at it when a batch is reported: the events of the
 * system say neither what was there before nor in which order things happened.
 */
export class FolderWatch {
  readonly #root: string;
  /** The name to look at, when a single file is watched. */
  readonly #file: string | undefined;
  readonly #isRecursive: boolean;
  readonly #isIncluded: (relativePath: string) => boolean;
  readonly #isExcluded: (relativePath: string) => boolean;
  readonly #listener: ChangeListener;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #known = new Set<string>();
  readonly #dirty = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(root: string, isFile: boolean, options: WatchOptions, listener: ChangeListener) {
    this.#root = isFile ? dirname(root) : root;
    this.#file = isFile ? root : undefined;
    this.#isRecursive = options.isRecursive && !isFile;
    this.#isIncluded = options.includes === undefined ? () => true : matcherOf(options.includes);
    this.#isExcluded = matcherOf(options.excludes ?? []);
    this.#listener = listener;
  }

  /** Starts to watch a path without links; rejects when there are too many folders. */
  static async open(root: string, options: WatchOptions, listener: ChangeListener): Promise<FolderWatch> {
    const found = await lstat(root).catch((cause: unknown) => {
      throw new HostError("FILE_NOT_FOUND", `${root} does not exist.`, { cause });
    });
    const opened = new FolderWatch(root, !found.isDirectory(), options, listener);
    try {
      await opened.#add(opened.#root, () => {});
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  }

  /** How many folders are watched. */
  get size(): number {
    return this.#watchers.size;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches a folder, and those below it; `onFound` gets what is in them. */
  async #add(folder: string, onFound: (path: string) => void): Promise<void> {
    if (this.#watchers.has(folder)) return;
    if (this.#watchers.size >= maxFolders) {
      throw new HostError(
        "BODY_TOO_LARGE",
        `${this.#root} has more than ${maxFolders} folders. Exclude some, or watch a smaller part.`,
      );
    }
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null) this.#note(join(folder, name));
    });
    // It is gone, which its parent reports.
    watcher.on("error", () => this.#remove(folder));
    this.#watchers.set(folder, watcher);
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (this.#isIgnored(path)) continue;
      if (!this.#known.has(path)) onFound(path);
      this.#known.add(path);
      // Links are not followed: they may lead outside, or back.
      if (entry.isDirectory() && this.#isRecursive) await this.#add(path, onFound);
    }
  }

  #remove(folder: string): void {
    for (const [path, watcher] of this.#watchers) {
      if (path !== folder && !path.startsWith(folder + sep)) continue;
      watcher.close();
      this.#watchers.delete(path);
    }
  }

  #isIgnored(path: string): boolean {
    if (this.#file !== undefined) return path !== this.#file;
    return this.#isExcluded(relative(this.#root, path).replaceAll(sep, "/"));
  }

  #note(path: string): void {
    if (this.#isClosed || this.#isIgnored(path)) return;
    this.#dirty.add(path);
    this.#timer ??= setTimeout(() => void this.#report(), debounceMs).unref();
  }

  async #report(): Promise<void> {
    const paths = [...this.#dirty];
    this.#dirty.clear();
    this.#timer = undefined;
    const changes: PathChange[] = [];
    for (const path of paths) changes.push(...(await this.#look(path)));
    if (this.#isClosed) return;
    const wanted = changes.filter(({ path }) => this.#isWanted(path));
    if (wanted.length > maxChanges) this.#listener([{ path: this.#root, type: "updated" }]);
    else if (wanted.length > 0) this.#listener(wanted);
  }

  #isWanted(path: string): boolean {
    return this.#file === undefined
      ? this.#isIncluded(relative(this.#root, path).replaceAll(sep, "/"))
      : basename(path) === basename(this.#file);
  }

  /** The changes of a path since it was last looked at. */
  async #look(path: string): Promise<readonly PathChange[]> {
    const found = await lstat(path).catch(() => undefined);
    const wasKnown = this.#known.has(path);
    if (found === undefined) {
      this.#remove(path);
      const gone = [...this.#known].filter((each) => each === path || each.startsWith(path + sep));
      for (const each of gone) this.#known.delete(each);
      return wasKnown ? [{ path, type: "deleted" }] : [];
    }
    this.#known.add(path);
    const changes: PathChange[] = [{ path, type: wasKnown ? "updated" : "added" }];
    if (!wasKnown && found.isDirectory() && this.#isRecursive && !this.#isClosed) {
      // Beyond the limit, what is below stays unwatched; the folder itself is reported.
      await this.#add(path, (below) => changes.push({ path: below, type: "added" })).catch(() => undefined);
    }
    return changes;
  }
}
