// A changed file as the lines that went and came, in the colours of its language.
import { ColumnsIcon, RowsIcon } from "@primer/octicons-react";
import { type FileVersion, ROOT_URI, type ToolContent } from "@holdfast/ahp";
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { useHost, useIsReachable } from "../host/use-host.ts";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { findColours, knownColours } from "./code-colouring.ts";
import { codeLanguage } from "./code-languages.ts";
import type { CodeRuns } from "./code-runs.ts";
import {
  type ColouredPiece,
  colouredLines,
  type DiffLine,
  type DiffRow,
  diffRows,
  pairRows,
} from "./diff-lines.ts";
import { diffLayout, listenToDiffLayout, setDiffLayout } from "./diff-layout.ts";
import style from "./file-diff.module.css";
import { useShownPath } from "./shown-path.ts";

interface FileDiffProps {
  readonly edit: Extract<ToolContent, { type: "fileEdit" }>;
  readonly onGrow: (() => void) | undefined;
}

/** Longer diffs are cut: nobody reads them in a conversation. */
const maxLines = 400;

/** The diff; the default export, because it is loaded when it is needed. */
export default function FileDiff({ edit, onGrow }: FileDiffProps): ReactNode {
  const { path, before, after } = edit;
  const shownPath = useShownPath();
  const layout = useSyncExternalStore(listenToDiffLayout, diffLayout);
  const oldText = useFileText(before);
  const newText = useFileText(after);
  const [old, fresh] = [textOf(oldText), textOf(newText)];
  const rows = useMemo(
    () => (old === undefined || fresh === undefined ? undefined : diffRows(old, fresh)),
    [old, fresh],
  );
  useEffect(() => onGrow?.(), [rows, layout]);
  const isSplit = layout === "split" && before !== undefined && after !== undefined;
  return (
    <figure className={style.diff}>
      <figcaption className={style.path}>
        <code title={path}>{shownPath(path)}</code>
        <span className={style.counts}>
          {rows?.length === 0 && "unchanged · "}
          {before === undefined && "new file · "}
          {after === undefined && "deleted · "}
          <span className={style.added}>+{countOf(rows, "added")}</span>{" "}
          <span className={style.removed}>−{countOf(rows, "removed")}</span>
        </span>
        <span className={style.tools}>
          <CopyButton label="Copy the new text" text={() => fresh ?? ""} />
          <IconButton
            label={layout === "split" ? "Show unified" : "Show side by side"}
            icon={layout === "split" ? <RowsIcon /> : <ColumnsIcon />}
            size="small"
            onClick={() => setDiffLayout(layout === "split" ? "unified" : "split")}
          />
        </span>
      </figcaption>
      {rows === undefined ? (
        <p className={style.note}>{noteOf(oldText, newText)}</p>
      ) : (
        <DiffBody path={path} rows={rows} old={old ?? ""} fresh={fresh ?? ""} isSplit={isSplit} />
      )}
    </figure>
  );
}

interface DiffBodyProps {
  readonly path: string;
  readonly rows: readonly DiffRow[];
  readonly old: string;
  readonly fresh: string;
  readonly isSplit: boolean;
}

function DiffBody({ path, rows, old, fresh, isSplit }: DiffBodyProps): ReactNode {
  const oldLines = useLineColours(path, old);
  const newLines = useLineColours(path, fresh);
  const piecesOf = ({ kind, oldNumber = 0, newNumber = 0 }: DiffLine): readonly ColouredPiece[] | undefined =>
    kind === "removed" ? oldLines?.[oldNumber - 1] : newLines?.[newNumber - 1];
  const label = `Changes of ${path}`;
  const cut = rows.length - maxLines;
  return (
    <div className={style.lines} tabIndex={0} role="group" aria-label={label} data-split={isSplit}>
      {isSplit
        ? pairRows(rows.slice(0, maxLines)).map((row, index) =>
            row.kind === "gap" ? (
              <Gap key={index} newStart={row.newStart} />
            ) : (
              <div key={index} className={style.pair}>
                <Line line={row.left} number={row.left?.oldNumber} pieces={row.left && piecesOf(row.left)} />
                <Line
                  line={row.right}
                  number={row.right?.newNumber}
                  pieces={row.right && piecesOf(row.right)}
                />
              </div>
            ),
          )
        : rows
            .slice(0, maxLines)
            .map((row, index) =>
              row.kind === "gap" ? (
                <Gap key={index} newStart={row.newStart} />
              ) : (
                <Line key={index} line={row} number={row.newNumber ?? row.oldNumber} pieces={piecesOf(row)} />
              ),
            )}
      {cut > 0 && <p className={style.note}>… {cut} more lines</p>}
    </div>
  );
}

function Gap({ newStart }: { readonly newStart: number }): ReactNode {
  return <div className={style.gap}>Line {newStart}</div>;
}

interface LineProps {
  /** Absent where the other side has a line and this has none. */
  readonly line: DiffLine | undefined;
  readonly number: number | undefined;
  /** Absent while its colours are not known. */
  readonly pieces: readonly ColouredPiece[] | undefined;
}

const signs = { same: " ", added: "+", removed: "-" } as const;

function Line({ line, number, pieces }: LineProps): ReactNode {
  if (line === undefined) return <div className={style.line} data-kind="none" />;
  // The colours of another text are none of this line.
  const isCurrent = pieces?.map(({ text }) => text).join("") === line.text;
  return (
    <div className={style.line} data-kind={line.kind}>
      <span className={style.number} aria-hidden="true">
        {number}
      </span>
      <span className={style.sign}>{signs[line.kind]}</span>
      <span className={style.code}>
        {isCurrent
          ? pieces?.map(({ text, colour }, index) => (
              <span key={index} style={colour === undefined ? undefined : { color: colour }}>
                {text}
              </span>
            ))
          : line.text}
      </span>
    </div>
  );
}

function countOf(rows: readonly DiffRow[] | undefined, kind: DiffRow["kind"]): number {
  return rows?.filter((row) => row.kind === kind).length ?? 0;
}

/** Longer code stays plain. */
const maxColouredChars = 50_000;

/** The pieces of each line of a file in the colours of its language; undefined until they are known. */
function useLineColours(path: string, code: string): ColouredPiece[][] | undefined {
  const language = code.length > maxColouredChars ? undefined : codeLanguage(path.split(".").at(-1) ?? "");
  const known = language === undefined ? undefined : knownColours(code, language);
  const [runs, setRuns] = useState<CodeRuns | undefined>(known);
  useEffect(() => {
    let isCurrent = true;
    if (language !== undefined && code !== "") {
      void findColours(code, language).then((found) => {
        if (isCurrent) setRuns(found);
      });
    }
    return () => {
      isCurrent = false;
    };
  }, [code, language]);
  return useMemo(() => (runs === undefined ? undefined : colouredLines(code, runs)), [code, runs]);
}

/** A longer file is not shown as a diff. */
const maxBytes = 1024 * 1024;

type FileText =
  | { readonly status: "loading" }
  | { readonly status: "known"; readonly text: string }
  | { readonly status: "failed"; readonly reason: string }
  | { readonly status: "unknown" };

function textOf(known: FileText): string | undefined {
  return known.status === "known" ? known.text : undefined;
}

/** The sentence in place of a diff whose texts are not both known. */
function noteOf(...texts: readonly FileText[]): string {
  if (texts.some(({ status }) => status === "unknown")) {
    return "The file is too long to show here, or is not text.";
  }
  const failed = texts.find((text) => text.status === "failed");
  return failed === undefined ? "Loading…" : `The file could not be read: ${failed.reason}`;
}

/** The text; of no file at all it is empty. */
function useFileText(version: FileVersion | undefined): FileText {
  const host = useHost();
  const uri = version?.kind === "ref" && (version.sizeBytes ?? 0) <= maxBytes ? version.uri : undefined;
  const isReachable = useIsReachable();
  const [fetched, setFetched] = useState<FileText>({ status: "loading" });
  const readUri = useRef<string>(undefined);
  useEffect(() => {
    if (uri === undefined || !isReachable || readUri.current === uri) return;
    let isCurrent = true;
    host.client.request("resourceRead", { channel: ROOT_URI, uri, encoding: "utf-8" }).then(
      ({ data, encoding }) => {
        if (!isCurrent) return;
        readUri.current = uri;
        setFetched(encoding === "utf-8" ? { status: "known", text: data } : { status: "unknown" });
      },
      (error: unknown) => {
        if (!isCurrent) return;
        setFetched({ status: "failed", reason: error instanceof Error ? error.message : String(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [host, uri, isReachable]);
  if (version === undefined) return { status: "known", text: "" };
  if (version.kind === "text") return { status: "known", text: version.text };
  return uri === undefined ? { status: "unknown" } : fetched;
}
