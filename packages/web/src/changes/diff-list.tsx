// The diffs of all changed files in one list, of which only the rows in sight are drawn.
import { ChevronDownIcon, ChevronRightIcon, FileIcon, UndoIcon } from "@primer/octicons-react";
import { type ReactNode, type RefObject, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { routeHash, type SessionRoute } from "../frame/route.ts";
import { Button, IconButton } from "../ui/button.tsx";
import type { ChangedFile, ChangeHunk, FileDiff } from "./changes.ts";
import { CommentForm, CommentView } from "./comment-view.tsx";
import { DiffLineView } from "./diff-line.tsx";
import style from "./diff-list.module.css";
import { type DiffLine, type DiffRow, diffRows, type Layout, type LineRow } from "./diff-rows.ts";
import { FilePath, LineCounts, StatusMark } from "./file-marks.tsx";
import { type CommentPlace, isAt, type ReviewComment, useReviewComments } from "./review-comments.ts";

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

type Row =
  | DiffRow
  | { readonly kind: "comment"; readonly key: string; readonly comment: ReviewComment }
  | { readonly kind: "form"; readonly key: string; readonly place: CommentPlace };

export function DiffList(props: DiffListProps): ReactNode {
  const { handle, sessionKey, files, diffs, layout, closed } = props;
  const { store, comments } = useReviewComments(sessionKey);
  const [place, setPlace] = useState<CommentPlace>();
  const plain = useMemo(() => diffRows(files, diffs, layout, closed), [files, diffs, layout, closed]);
  const rows = useMemo(() => withComments(plain, comments, place), [plain, comments, place]);
  const opener = useRef<Element>(null);
  const [openComment] = useState(() => (row: LineRow, { side, number, text }: DiffLine): void => {
    opener.current = document.activeElement;
    setPlace({ path: row.file.path, side, line: number, code: text });
  });
  const closeForm = (): void => {
    setPlace(undefined);
    // Else the keys that follow would be shortcuts of the whole page, with no place to continue from.
    if (opener.current instanceof HTMLElement) opener.current.focus();
  };
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
          ) : row.kind === "comment" ? (
            <CommentView
              comment={row.comment}
              onChange={(text) => store.change(row.comment.id, text)}
              onRemove={() => store.remove([row.comment.id])}
            />
          ) : row.kind === "form" ? (
            <CommentForm
              key={row.key}
              place={row.place}
              onSave={(text) => {
                store.add(row.place, text);
                closeForm();
              }}
              onCancel={closeForm}
            />
          ) : (
            <HeadingRow row={row} {...props} />
          )}
        </div>
      )}
    </VList>
  );
}

/** Puts each comment, and the form of a new one, below its line. */
function withComments(
  rows: readonly DiffRow[],
  comments: readonly ReviewComment[],
  place: CommentPlace | undefined,
): readonly Row[] {
  if (comments.length === 0 && place === undefined) return rows;
  const paths = new Set([...comments.map(({ path }) => path), ...(place === undefined ? [] : [place.path])]);
  return rows.flatMap((row): Row[] => {
    if (row.kind !== "line" || !paths.has(row.file.path)) return [row];
    const isHere = (each: CommentPlace): boolean =>
      isAt(each, row.file.path, row.old) || isAt(each, row.file.path, row.new);
    const here = comments
      .filter(isHere)
      .map((comment): Row => ({ kind: "comment", key: comment.id, comment }));
    const form: Row[] =
      place !== undefined && isHere(place) ? [{ kind: "form", key: `${row.key}\nform`, place }] : [];
    return [row, ...here, ...form];
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
