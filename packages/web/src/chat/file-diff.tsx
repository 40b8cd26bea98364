// A changed file as the lines that went and came.
import { type FileVersion, ROOT_URI } from "@holdfast/ahp";
import { structuredPatch } from "diff";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useHost } from "../host/use-host.ts";
import type { FileEdit } from "./changed-files.ts";
import style from "./file-diff.module.css";

interface FileDiffProps {
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

/** A longer file is not shown as a diff. */
const maxBytes = 1024 * 1024;

type FileText =
  | { readonly status: "loading" }
  | { readonly status: "known"; readonly text: string }
  | { readonly status: "unknown" };

/** The text; of no file at all it is empty. */
function useFileText(version: FileVersion | undefined): FileText {
  const host = useHost();
  const uri = version?.kind === "ref" && (version.sizeBytes ?? 0) <= maxBytes ? version.uri : undefined;
  const [fetched, setFetched] = useState<FileText>({ status: "loading" });
  useEffect(() => {
    if (uri === undefined) return;
    host.client.request("resourceRead", { channel: ROOT_URI, uri, encoding: "utf-8" }).then(
      ({ data, encoding }) =>
        setFetched(encoding === "utf-8" ? { status: "known", text: data } : { status: "unknown" }),
      () => setFetched({ status: "unknown" }),
    );
  }, [host, uri]);
  if (version === undefined) return { status: "known", text: "" };
  if (version.kind === "text") return { status: "known", text: version.text };
  return uri === undefined ? { status: "unknown" } : fetched;
}
