// What a session changed, file by file.
import { lazy, Suspense, type ReactNode } from "react";
import type { FileEdit } from "./changed-files.ts";
import style from "./conversation.module.css";

const FileDiff = lazy(() => import("./file-diff.tsx"));

/** The changed files with their diffs. */
export function ChangedFilesView({ files }: { readonly files: readonly FileEdit[] }): ReactNode {
  return (
    <section className={style.files} aria-label="Changed files">
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
