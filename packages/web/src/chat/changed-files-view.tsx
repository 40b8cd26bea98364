// Files that a session changed.
import { lazy, Suspense, type ReactNode } from "react";
import type { FileEdit } from "./changed-files.ts";
import control from "../style/control.module.css";
import style from "./conversation.module.css";

const FileDiff = lazy(() => import("./file-diff.tsx"));

export interface ChangedFilesProps {
  /** Those of the loaded turns. */
  readonly files: readonly FileEdit[];
  /** Loads earlier turns; absent when all are loaded. */
  readonly onLoadEarlier: (() => void) | undefined;
}

export function ChangedFilesView({ files, onLoadEarlier }: ChangedFilesProps): ReactNode {
  return (
    <section className={style.files} aria-label="Changed files">
      {onLoadEarlier !== undefined && (
        <button type="button" className={control.button} onClick={onLoadEarlier}>
          Load changes of earlier messages
        </button>
      )}
      {files.length === 0 && (
        <p>No file was changed yet. What the agent writes appears here, one diff for each file.</p>
      )}
      <Suspense fallback={<p>Loading …</p>}>
        {files.map((edit) => (
          <FileDiff key={edit.path} edit={edit} onGrow={undefined} />
        ))}
      </Suspense>
    </section>
  );
}
