// The diffs of all changed files in one list, of which only the rows in sight are drawn.
import { ChevronDownIcon, ChevronRightIcon, FileIcon, UndoIcon } from "@primer/octicons-react";
import { type ReactNode, type RefObject, useCallback, useMemo } from "react";
import { VList, type VListHandle } from "virtua";
import { routeHash, type SessionRoute } from "../frame/route.ts";
import { Button, IconButton } from "../ui/button.tsx";
import type { ChangedFile, ChangeHunk, FileDiff } from "./changes.ts";
import { DiffLineView } from "./diff-line.tsx";
import style from "./diff-list.module.css";
import { type DiffLine, type DiffRow, diffRows, type Layout, type LineRow } from "./diff-rows.ts";
import { FilePath, LineCounts, StatusMark } from "./file-marks.tsx";
import { isNoteAt, type LineNote, useLineComments } from "./line-comments.tsx";

interface DiffListProps {
  readonly handle: RefObject<VListHandle | null>;
  readonly route: SessionRoute;
  readonly sessionKey: string;
  readonly files: readonly ChangedFile[];
  readonly diffs: ReadonlyMap<string, FileDiff>;
  readonly layout: Layout;
  readonly closed: ReadonlySet<string>;
  readonly onToggle: (path: string) => void;
  readonly onLoad: (path: string) => void;
  /** Asks whether to undo a file or one of its hunks; absent where nothing can be undone. */
  readonly onRevert: ((file: ChangedFile, hunk?: ChangeHunk) => void) | undefined;
}

type Row = DiffRow | LineNote;

export function DiffList(props: DiffListProps): ReactNode {
  const { handle, sessionKey, files, diffs, layout, closed } = props;
  const { notes, open, show } = useLineComments(sessionKey);
  const plain = useMemo(() => diffRows(files, diffs, layout, closed), [files, diffs, layout, closed]);
  const rows = useMemo(() => withNotes(plain, notes), [plain, notes]);
  const openComment = useCallback(({ file }: LineRow, line: DiffLine): void => open(file.path, line), [open]);
  return (
    <VList
      ref={handle}
      className={style.list}
      data={rows}
      tabIndex={0}
      role="region"
      aria-label="Diffs"
      data-diff=""
    >
      {(row, index) => (
        <div key={row.key}>
          {row.kind === "line" ? (
            <DiffLineView
              row={row}
              layout={layout}
              isTabStop={rows[index - 1]?.kind !== "line"}
              onComment={openComment}
            />
          ) : row.kind === "comment" || row.kind === "form" ? (
            show(row)
          ) : (
            <HeadingRow row={row} {...props} />
          )}
        </div>
      )}
    </VList>
  );
}

/** Puts each comment, and the form of a new one, below its line. */
function withNotes(rows: readonly DiffRow[], notes: readonly LineNote[]): readonly Row[] {
  if (notes.length === 0) return rows;
  return rows.flatMap((row): Row[] => {
    if (row.kind !== "line") return [row];
    return [row, ...notes.filter((note) => isNoteAt(note, row.file.path, row.old, row.new))];
  });
}

type HeadingRowProps = DiffListProps & { readonly row: Exclude<DiffRow, LineRow> };

function HeadingRow({ row, route, onToggle, onLoad, onRevert }: HeadingRowProps): ReactNode {
  const { file } = row;
  switch (row.kind) {
    case "file":
      return (
        <div className={style.file} role="group" aria-label={file.path}>
          <button
            type="button"
            className={style.toggle}
            aria-expanded={row.isOpen}
            onClick={() => onToggle(file.path)}
          >
            {row.isOpen ? <ChevronDownIcon /> : <ChevronRightIcon />}
            <StatusMark file={file} />
            <FilePath path={file.path} oldPath={file.oldPath} />
          </button>
          <LineCounts file={file} />
          {file.status !== "deleted" && file.kind === "file" && (
            <a
              className={style.openFile}
              href={routeHash({ ...route, view: "changes", file: file.path, line: undefined })}
              aria-label={`Open ${file.path}`}
              title="Open the file"
            >
              <FileIcon />
            </a>
          )}
          {onRevert !== undefined && file.kind !== "submodule" && (
            <IconButton
              size="small"
              label={`Revert ${file.path}…`}
              icon={<UndoIcon />}
              onClick={() => onRevert(file)}
            />
          )}
        </div>
      );
    case "hunk":
      return (
        <div className={style.hunk}>
          <span className={style.hunkPlace}>
            Line {row.hunk.newStart}
            {row.hunk.heading !== "" && <code> {row.hunk.heading}</code>}
          </span>
          {onRevert !== undefined && file.status !== "type-changed" && (
            <Button
              size="small"
              kind="quiet"
              aria-label={`Revert hunk at line ${row.hunk.newStart} of ${file.path}…`}
              onClick={() => onRevert(file, row.hunk)}
            >
              Revert hunk…
            </Button>
          )}
        </div>
      );
    case "note":
      return (
        <p className={style.note}>
          {row.text}
          {row.canLoad && (
            <Button size="small" kind="quiet" onClick={() => onLoad(file.path)}>
              Load it
            </Button>
          )}
        </p>
      );
  }
}
