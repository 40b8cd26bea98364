// A changed file as the lines that went and came.
import { structuredPatch } from "diff";
import { useEffect, useMemo, type ReactNode } from "react";
import type { FileEdit } from "./changed-files.ts";
import style from "./file-diff.module.css";
import { useFileText, type FileText } from "./use-file-text.ts";

/** What a diff is made from. */
export interface FileDiffProps {
  readonly edit: FileEdit;
  readonly onGrow: (() => void) | undefined;
}

/** Longer diffs are cut: nobody reads them in a conversation. */
const maxLines = 400;
/** A diff that takes longer is given up, and the file is shown as changed. */
const timeoutMs = 500;

/** The diff; the default export, because it is loaded when it is needed. */
export default function FileDiff({ edit, onGrow }: FileDiffProps): ReactNode {
  const { path, before, after } = edit;
  const oldText = useFileText(before);
  const newText = useFileText(after);
  const lines = useMemo(() => diffLines(oldText, newText), [textOf(oldText), textOf(newText)]);
  useEffect(() => onGrow?.(), [lines]);
  const added = lines?.filter((line) => line.startsWith("+")).length ?? 0;
  const removed = lines?.filter((line) => line.startsWith("-")).length ?? 0;
  return (
    <figure className={style.diff}>
      <figcaption className={style.path}>
        <code>{path}</code>
        <span className={style.counts}>
          {lines?.length === 0 && "unchanged · "}
          {before === undefined && "new file · "}
          {after === undefined && "deleted · "}
          <span className={style.added}>+{added}</span> <span className={style.removed}>−{removed}</span>
        </span>
      </figcaption>
      {lines === undefined ? (
        <p className={style.note}>
          {oldText.status === "loading" || newText.status === "loading"
            ? "Loading …"
            : "The file is too long to be shown here, or is no text."}
        </p>
      ) : (
        <pre className={style.lines} tabIndex={0} aria-label={`Changes of ${path}`}>
          {lines.slice(0, maxLines).map((line, index) => (
            <span key={index} className={classOf(line)}>
              {line}
              {"\n"}
            </span>
          ))}
          {lines.length > maxLines && <span>… {lines.length - maxLines} more lines</span>}
        </pre>
      )}
    </figure>
  );
}

function diffLines(before: FileText, after: FileText): string[] | undefined {
  if (before.status !== "known" || after.status !== "known") return undefined;
  const patch = structuredPatch("", "", before.text, after.text, "", "", { context: 3, timeout: timeoutMs });
  return patch?.hunks.flatMap(({ oldStart, newStart, lines }, index) => {
    const isFirst = index === 0 && oldStart <= 1 && newStart <= 1;
    return isFirst ? lines : [`@@ line ${newStart} @@`, ...lines];
  });
}

function textOf(known: FileText): string | undefined {
  return known.status === "known" ? known.text : undefined;
}

function classOf(line: string): string | undefined {
  if (line.startsWith("+")) return style.lineAdded;
  if (line.startsWith("-")) return style.lineRemoved;
  return line.startsWith("@@") || line.startsWith("\\") ? style.lineBetween : undefined;
}
