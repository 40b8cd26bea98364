// One row of a diff: a line of the file on one side or on both.
import { memo, type KeyboardEvent, type ReactNode } from "react";
import type { ChangeHunk } from "./changes.ts";
import { sideText, type DiffLine, type Layout, type LineRow, type Side } from "./diff-rows.ts";
import style from "./diff-list.module.css";
import { type ColouredPiece, LinedCode, useColouredLine } from "./hunk-colours.ts";

const codeOfHunks = new WeakMap<ChangeHunk, Readonly<Record<Side, LinedCode>>>();

function codeOf(hunk: ChangeHunk, path: string): Readonly<Record<Side, LinedCode>> {
  const known = codeOfHunks.get(hunk);
  if (known !== undefined) return known;
  const made = {
    old: new LinedCode(sideText(hunk, "old"), path),
    new: new LinedCode(sideText(hunk, "new"), path),
  };
  codeOfHunks.set(hunk, made);
  return made;
}

interface DiffLineProps {
  readonly row: LineRow;
  readonly layout: Layout;
  /** Whether the Tab key reaches it: the first line of a hunk; arrows reach the others. */
  readonly isTabStop: boolean;
  readonly onComment: (row: LineRow, line: DiffLine) => void;
}

/** The line; its number is a button that opens a comment. */
export const DiffLineView = memo(function DiffLineView(props: DiffLineProps): ReactNode {
  const { row, layout, isTabStop, onComment } = props;
  const code = codeOf(row.hunk, row.file.path);
  if (layout === "split") {
    return (
      <div className={style.split}>
        <SplitSide
          row={row}
          line={row.old}
          code={code.old}
          isTabStop={isTabStop && row.new === undefined}
          onComment={onComment}
        />
        <SplitSide row={row} line={row.new} code={code.new} isTabStop={isTabStop} onComment={onComment} />
      </div>
    );
  }
  const line = row.new ?? row.old;
  if (line === undefined) return null;
  return (
    <div className={style.unified} data-change={row.change}>
      <NumberButton
        line={line}
        other={row.change === "none" ? row.old?.number : undefined}
        layout="unified"
        isTabStop={isTabStop}
        onComment={() => onComment(row, line)}
      />
      <CodeCell
        line={line}
        code={code[line.side]}
        sign={signOf(row.change)}
        hasNoLineEnd={row.hasNoLineEnd}
      />
    </div>
  );
});

interface SplitSideProps {
  readonly row: LineRow;
  readonly line: DiffLine | undefined;
  readonly code: LinedCode;
  readonly isTabStop: boolean;
  readonly onComment: (row: LineRow, line: DiffLine) => void;
}

function SplitSide({ row, line, code, isTabStop, onComment }: SplitSideProps): ReactNode {
  if (line === undefined) return <div className={style.half} data-change="absent" />;
  const change = row.change === "none" ? "none" : line.side === "old" ? "removed" : "added";
  return (
    <div className={style.half} data-change={change}>
      <NumberButton line={line} layout="split" isTabStop={isTabStop} onComment={() => onComment(row, line)} />
      <CodeCell line={line} code={code} sign={signOf(change)} hasNoLineEnd={row.hasNoLineEnd} />
    </div>
  );
}

interface NumberButtonProps {
  readonly line: DiffLine;
  /** The number on the other side, shown as well. */
  readonly other?: number | undefined;
  readonly layout: Layout;
  readonly isTabStop: boolean;
  readonly onComment: () => void;
}

/** The number, in its column where both sides share one row. */
export function NumberButton({ line, other, layout, isTabStop, onComment }: NumberButtonProps): ReactNode {
  const isOld = line.side === "old";
  return (
    <button
      type="button"
      className={style.number}
      data-number=""
      tabIndex={isTabStop ? 0 : -1}
      title="Comment on this line"
      onClick={onComment}
      onKeyDown={walk}
    >
      {layout === "unified" && !isOld && <span aria-hidden="true">{other}</span>}
      <span>
        <span className="hidden-label">Comment on {isOld ? "removed line" : "line"} </span>
        {line.number}
      </span>
      {layout === "unified" && isOld && <span aria-hidden="true" />}
    </button>
  );
}

/** Arrows go from line to line: each as a stop of the Tab key would be too many. */
function walk(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [
    ...(event.currentTarget.closest("[data-diff]")?.querySelectorAll<HTMLElement>("[data-number]") ?? []),
  ];
  buttons[buttons.indexOf(event.currentTarget) + step]?.focus();
}

interface CodeCellProps {
  readonly line: DiffLine;
  readonly code: LinedCode;
  readonly sign: string;
  readonly hasNoLineEnd: boolean;
}

/** The browser needs seconds to lay out a line of megabytes. */
const maxShownLength = 20_000;

function CodeCell({ line, code, sign, hasNoLineEnd }: CodeCellProps): ReactNode {
  const pieces = useColouredLine(code, line.index);
  const hiddenLength = line.text.length - maxShownLength;
  return (
    <>
      <span className={style.sign}>{sign}</span>
      <code className={style.code}>
        {hiddenLength > 0 ? (
          <>
            {line.text.slice(0, maxShownLength)}
            <span className={style.noLineEnd}> {hiddenLength.toLocaleString("en")} more characters</span>
          </>
        ) : (
          <CodePieces text={line.text} pieces={pieces} />
        )}
        {hasNoLineEnd && <span className={style.noLineEnd}> no newline at the end</span>}
      </code>
    </>
  );
}

/** A line in its colours; plain until they are known. */
export function CodePieces({
  text,
  pieces,
}: {
  readonly text: string;
  readonly pieces: readonly ColouredPiece[] | undefined;
}): ReactNode {
  // Pieces of another text would show what the line does not say.
  if (pieces?.map((piece) => piece.text).join("") !== text) return text;
  return pieces.map((piece, index) =>
    piece.colour === undefined ? (
      piece.text
    ) : (
      <span key={index} style={{ color: piece.colour }}>
        {piece.text}
      </span>
    ),
  );
}

function signOf(change: LineRow["change"]): string {
  return change === "removed" ? "−" : change === "added" ? "+" : "";
}
