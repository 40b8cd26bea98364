// Grants of one client for files outside of the sessions' folders, which it asked for.
import { liesIn } from "./files.ts";

/** Reading, or reading and writing. */
export type FileAccess = "read" | "write";

const maxGrants = 256;

/** The grants of one client. They end with the client. */
export class FileGrants {
  readonly #paths: { readonly [Access in FileAccess]: Set<string> } = { read: new Set(), write: new Set() };

  /** Allows a path and everything below it; of more than 256, the oldest is dropped. */
  add(access: FileAccess, realPath: string): void {
    const paths = this.#paths[access];
    paths.delete(realPath);
    paths.add(realPath);
    const [oldest] = paths;
    if (paths.size > maxGrants && oldest !== undefined) paths.delete(oldest);
  }

  /** Whether a path without links may be read, or written; who may write may read. */
  covers(access: FileAccess, realPath: string): boolean {
    if (liesIn(realPath, [...this.#paths.write])) return true;
    return access === "read" && liesIn(realPath, [...this.#paths.read]);
  }
}
