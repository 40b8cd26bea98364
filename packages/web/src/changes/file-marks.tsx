// Marks of a changed file: its status, its path, its counts of lines.
import type { ReactNode } from "react";
import type { ChangedFile } from "./changes.ts";
import style from "./file-marks.module.css";

const marks = {
  added: { letter: "A", words: "Added" },
  modified: { letter: "M", words: "Modified" },
  deleted: { letter: "D", words: "Deleted" },
  renamed: { letter: "R", words: "Renamed" },
  "type-changed": { letter: "T", words: "Type changed" },
} as const;

export function StatusMark({ file: { status } }: { readonly file: ChangedFile }): ReactNode {
  const { letter, words } = marks[status];
  return (
    <span className={style.status} data-status={status} title={words}>
      <span aria-hidden="true">{letter}</span>
      <span className="hidden-label">{words}</span>
    </span>
  );
}

/** The folder is quieter than the name; where space is short, the folder is cut first. */
export function FilePath({
  path,
  oldPath,
}: {
  readonly path: string;
  readonly oldPath?: string | undefined;
}): ReactNode {
  const at = path.lastIndexOf("/") + 1;
  return (
    <span className={style.path} title={oldPath === undefined ? path : `${oldPath} → ${path}`}>
      {at > 0 && <span className={style.folder}>{path.slice(0, at)}</span>}
      <span className={style.name}>{path.slice(at)}</span>
    </span>
  );
}

export function LineCounts({
  file: { additions, deletions, isBinary },
}: {
  readonly file: ChangedFile;
}): ReactNode {
  if (isBinary === true) return <span className={style.counts}>binary</span>;
  return (
    <span className={style.counts}>
      {additions > 0 && <span className={style.added}>+{additions}</span>}
      {deletions > 0 && <span className={style.removed}>−{deletions}</span>}
    </span>
  );
}
