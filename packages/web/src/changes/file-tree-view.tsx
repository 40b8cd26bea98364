// The tree of changed files: to jump to a file, and to stage it.
import { ChevronDownIcon, ChevronRightIcon } from "@primer/octicons-react";
import { type ReactNode, useMemo, useState } from "react";
import { VList } from "virtua";
import type { ChangedFile } from "./changes.ts";
import { LineCounts, StatusMark } from "./file-marks.tsx";
import { treeRows } from "./file-tree.ts";
import style from "./file-tree.module.css";

interface FileTreeProps {
  readonly files: readonly ChangedFile[];
  readonly onSelect: (path: string) => void;
  /** Stages files, or takes them out; absent where nothing can be staged. */
  readonly onStage: ((files: readonly ChangedFile[], isStaged: boolean) => void) | undefined;
}

export function FileTree({ files, onSelect, onStage }: FileTreeProps): ReactNode {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => treeRows(files, closed), [files, closed]);
  const toggle = (path: string): void => {
    const next = new Set(closed);
    if (!next.delete(path)) next.add(path);
    setClosed(next);
  };
  return (
    <nav className={style.tree} aria-label="Changed files">
      {onStage !== undefined && <StageAll files={files} onStage={onStage} />}
      <VList className={style.rows} data={rows}>
        {(row) => (
          <div key={row.path} className={style.row} style={{ paddingLeft: 8 + row.depth * 14 }}>
            {row.kind === "folder" ? (
              <button
                type="button"
                className={style.folder}
                aria-expanded={row.isOpen}
                onClick={() => toggle(row.path)}
              >
                {row.isOpen ? <ChevronDownIcon size={12} /> : <ChevronRightIcon size={12} />}
                <span className={style.name}>{row.name}</span>
                {!row.isOpen && <span className={style.count}>{row.fileCount}</span>}
              </button>
            ) : (
              <>
                {onStage !== undefined && <StageBox files={[row.file]} label={row.path} onStage={onStage} />}
                <button
                  type="button"
                  className={style.file}
                  title={row.path}
                  onClick={() => onSelect(row.path)}
                >
                  <StatusMark file={row.file} />
                  <span className={style.name}>{row.name}</span>
                  {row.file.isCommitted === true && <span className={style.committed}>committed</span>}
                  <LineCounts file={row.file} />
                </button>
              </>
            )}
          </div>
        )}
      </VList>
    </nav>
  );
}

interface StageProps {
  readonly files: readonly ChangedFile[];
  readonly onStage: (files: readonly ChangedFile[], isStaged: boolean) => void;
}

/** Every file that is not committed, with one box. */
function StageAll({ files, onStage }: StageProps): ReactNode {
  const open = files.filter(({ isCommitted }) => isCommitted !== true);
  const staged = open.filter((file) => file.staged !== undefined).length;
  if (open.length === 0) return <p className={style.head}>Everything is committed</p>;
  return (
    <div className={style.head}>
      <StageBox files={open} label="all files" onStage={onStage} />
      <span>
        {staged} of {open.length} staged
      </span>
    </div>
  );
}

function StageBox({ files, label, onStage }: StageProps & { readonly label: string }): ReactNode {
  const open = files.filter(({ isCommitted }) => isCommitted !== true);
  const isAll = open.length > 0 && open.every(({ staged }) => staged === "full");
  const isSome = !isAll && open.some(({ staged }) => staged !== undefined);
  return (
    // The label makes it large enough to be hit.
    <label className={style.boxPlace}>
      <input
        type="checkbox"
        className={style.box}
        aria-label={`Stage ${label}`}
        title={isAll ? "Staged" : "Stage"}
        disabled={open.length === 0}
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = isSome;
        }}
        onChange={() => onStage(isAll ? open : open.filter(({ staged }) => staged !== "full"), !isAll)}
      />
    </label>
  );
}
