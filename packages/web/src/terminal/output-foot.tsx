// The line below an output: what of it is not shown, and the button that shows all that there is.
import type { ReactNode } from "react";
import { sizeWords } from "../frame/time-words.ts";
import style from "./terminal-panel.module.css";

/** The facts about an output that a view knows. */
export interface OutputExtent {
  /** Whether there is more than a folded view shows. */
  readonly isFoldable: boolean;
  /** Whether the view has only the end of the output. */
  readonly isCut: boolean;
}

export const wholeOutput: OutputExtent = { isFoldable: false, isCut: false };

/** The same extent unless something changed, so that nothing is drawn again. */
export function laterExtent(before: OutputExtent, now: OutputExtent): OutputExtent {
  return before.isFoldable === now.isFoldable && before.isCut === now.isCut ? before : now;
}

interface OutputFootProps {
  readonly extent: OutputExtent;
  /** The size of the whole output. */
  readonly sizeBytes: number;
  /** The terminal, while the host has more of its output. */
  readonly terminalId?: string | undefined;
  readonly isUnfolded: boolean;
  /** Absent where the output is not folded. */
  readonly onUnfold?: ((isUnfolded: boolean) => void) | undefined;
}

export function OutputFoot(props: OutputFootProps): ReactNode {
  const { extent, sizeBytes, terminalId, isUnfolded, onUnfold } = props;
  const hasFold = extent.isFoldable && onUnfold !== undefined;
  if (!hasFold && !extent.isCut) return null;
  return (
    <p className={style.foot}>
      {hasFold && (
        <button
          type="button"
          className={style.fold}
          aria-expanded={isUnfolded}
          onClick={() => onUnfold(!isUnfolded)}
        >
          {isUnfolded ? "Show less" : extent.isCut ? "Show more" : "Show all"}
        </button>
      )}
      {extent.isCut && (
        <span>
          Showing only the end of {sizeWords(sizeBytes)} of output.
          {terminalId !== undefined && (
            <>
              {" "}
              To read more: <code>holdfast logs {terminalId.slice(0, 8)}</code>
            </>
          )}
        </span>
      )}
    </p>
  );
}
