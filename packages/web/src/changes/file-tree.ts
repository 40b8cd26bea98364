// Changed files as a tree of folders, flattened to rows; a folder with a single folder in it is one row with it.
import type { ChangedFile } from "./changes.ts";

export type TreeRow =
  | {
      readonly kind: "folder";
      /** Names the folder; ends in a slash. */
      readonly path: string;
      readonly name: string;
      readonly depth: number;
      readonly fileCount: number;
      readonly isOpen: boolean;
    }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly name: string;
      readonly depth: number;
      readonly file: ChangedFile;
    };

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly files: ChangedFile[];
  count: number;
}

/** The rows, folders before files, each by name; folders in `closed` hide what they have. */
export function treeRows(files: readonly ChangedFile[], closed: ReadonlySet<string>): TreeRow[] {
  const top = newFolder();
  for (const file of files) {
    let folder = top;
    folder.count += 1;
    for (const name of file.path.split("/").slice(0, -1)) {
      const inside = folder.folders.get(name) ?? newFolder();
      folder.folders.set(name, inside);
      folder = inside;
      folder.count += 1;
    }
    folder.files.push(file);
  }
  const rows: TreeRow[] = [];
  addRows(rows, top, "", 0, closed);
  return rows;
}

function newFolder(): Folder {
  return { folders: new Map(), files: [], count: 0 };
}

function addRows(
  rows: TreeRow[],
  folder: Folder,
  prefix: string,
  depth: number,
  closed: ReadonlySet<string>,
): void {
  for (const [name, inside] of [...folder.folders].toSorted(([one], [other]) => compare(one, other))) {
    const joined = joinSingle(name, inside);
    const path = `${prefix}${joined.name}/`;
    const isOpen = !closed.has(path);
    rows.push({ kind: "folder", path, name: joined.name, depth, fileCount: inside.count, isOpen });
    if (isOpen) addRows(rows, joined.folder, path, depth + 1, closed);
  }
  for (const file of folder.files.toSorted((one, other) => compare(one.path, other.path))) {
    rows.push({ kind: "file", path: file.path, name: file.path.slice(prefix.length), depth, file });
  }
}

function joinSingle(name: string, folder: Folder): { readonly name: string; readonly folder: Folder } {
  let joined = name;
  let inner = folder;
  for (;;) {
    const [only] = inner.folders;
    const isSingle = inner.folders.size === 1 && inner.files.length === 0;
    if (only === undefined || !isSingle) return { name: joined, folder: inner };
    joined = `${joined}/${only[0]}`;
    inner = only[1];
  }
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** The files in the order of the tree. */
export function inTreeOrder(files: readonly ChangedFile[]): ChangedFile[] {
  return treeRows(files, new Set()).flatMap((row) => (row.kind === "file" ? [row.file] : []));
}
