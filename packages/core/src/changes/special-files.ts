// FIFOs, sockets and devices in a working tree: git fails on them, and waits for ever on one in place of a control file.
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";

const ignoreFile = ".gitignore";
const attributesFile = ".gitattributes";

/** A search of a larger tree would cost more than it is worth. */
const maxFolders = 20_000;

export function isSpecial(entry: Stats | Dirent): boolean {
  return entry.isFIFO() || entry.isSocket() || entry.isCharacterDevice() || entry.isBlockDevice();
}

/** Control files that git must not open, relative to the top of the tree. */
export interface SpecialControlFiles {
  /** Without them git can still list what it tracks. */
  readonly ignore: readonly string[];
  /** Without them git can compare nothing. */
  readonly attributes: readonly string[];
}

/** Knows where control files are special: at once on the way to the session's folder, elsewhere after a search. */
export class ControlFiles {
  readonly #top: string;
  readonly #folders: Set<string>;

  /** `prefix` is the session's folder below the top. */
  constructor(top: string, prefix: string) {
    this.#top = top;
    const parts = prefix.split("/").filter((part) => part !== "");
    this.#folders = new Set(["", ...parts.map((_, index) => parts.slice(0, index + 1).join("/"))]);
  }

  async findSpecial(): Promise<SpecialControlFiles> {
    const folders = [...this.#folders];
    const [ignore, attributes] = await Promise.all([
      this.#specialIn(folders, ignoreFile),
      this.#specialIn(folders, attributesFile),
    ]);
    return { ignore, attributes };
  }

  /** Looks in the whole tree; `findSpecial` gives the files that it found. */
  async search(): Promise<void> {
    const folders = [""];
    for (let at = 0; at < folders.length && at < maxFolders; at += 1) {
      const folder = folders[at] ?? "";
      const entries = await readdir(path.join(this.#top, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        if (entry.isDirectory() && entry.name !== ".git") folders.push(path.join(folder, entry.name));
        const isControl = entry.name === ignoreFile || entry.name === attributesFile;
        if (isControl && isSpecial(entry)) this.#folders.add(folder);
      }
    }
  }

  async #specialIn(folders: readonly string[], name: string): Promise<string[]> {
    const files = folders.map((folder) => path.join(folder, name));
    const found = await Promise.all(
      files.map((file) => lstat(path.join(this.#top, file)).catch(() => undefined)),
    );
    return files.filter((_, index) => {
      const stats = found[index];
      return stats !== undefined && isSpecial(stats);
    });
  }
}
