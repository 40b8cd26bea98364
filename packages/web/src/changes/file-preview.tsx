// A file of the session's folder, shown whole and at a line.
import { ArrowLeftIcon } from "@primer/octicons-react";
import { ROOT_URI } from "@holdfast/ahp";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { VList, type VListHandle } from "virtua";
import { MarkdownText } from "../chat/markdown-text.tsx";
import { routeHash, type SessionRoute } from "../frame/route.ts";
import { useHost, useIsReachable } from "../host/use-host.ts";
import { fileUriOf } from "../session/session-words.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import style from "./changes-page.module.css";
import { CodePieces, NumberButton } from "./diff-line.tsx";
import diff from "./diff-list.module.css";
import type { DiffLine } from "./diff-rows.ts";
import { FilePath } from "./file-marks.tsx";
import { LinedCode, useColouredLine } from "./hunk-colours.ts";
import { isNoteAt, useLineComments } from "./line-comments.tsx";

interface FilePreviewProps {
  readonly route: SessionRoute;
  readonly file: string;
  readonly folder: string;
  readonly sessionKey: string;
}

type Content =
  | { readonly status: "loading" }
  | { readonly status: "text"; readonly text: string }
  | { readonly status: "picture"; readonly url: string }
  | { readonly status: "unknown"; readonly reason: string };

export function FilePreview({ route, file, folder, sessionKey }: FilePreviewProps): ReactNode {
  const content = useContent(file.startsWith("/") ? file : `${folder}/${file}`);
  const isMarkdown = /\.(?:md|markdown)$/i.test(file);
  const [isRendered, setIsRendered] = useState(false);
  const { line } = route;
  const name = line === undefined ? file : `${file}:${line}`;
  return (
    <section className={style.preview} aria-label={`File ${file}`}>
      <header className={style.previewHead}>
        <a
          className={style.backLink}
          href={routeHash({ ...route, file: undefined, line: undefined })}
          aria-label="Back to the changes"
        >
          <ArrowLeftIcon />
        </a>
        <FilePath path={file} />
        <CopyButton text={() => name} label="Copy the path" />
        {isMarkdown && (
          <Button size="small" aria-pressed={isRendered} onClick={() => setIsRendered(!isRendered)}>
            {isRendered ? "Source" : "Preview"}
          </Button>
        )}
      </header>
      {content.status === "loading" && <p className={style.empty}>Reading the file…</p>}
      {content.status === "unknown" && (
        <p className={style.empty} role="alert">
          {content.reason}
        </p>
      )}
      {content.status === "picture" && (
        <div className={style.picture}>
          <img src={content.url} alt={file} />
        </div>
      )}
      {content.status === "text" &&
        (isRendered && isMarkdown ? (
          <div className={style.rendered} tabIndex={0} role="region" aria-label="Preview">
            <MarkdownText text={content.text} />
          </div>
        ) : (
          <FileLines sessionKey={sessionKey} file={file} text={content.text} line={line} />
        ))}
    </section>
  );
}

/** More lines are not drawn: a file of that length is read elsewhere. */
const maxLines = 100_000;

interface FileLinesProps {
  readonly sessionKey: string;
  readonly file: string;
  readonly text: string;
  readonly line: number | undefined;
}

/** The lines, each with its comments below it (Z916). */
function FileLines({ sessionKey, file, text, line }: FileLinesProps): ReactNode {
  const list = useRef<VListHandle>(null);
  const { notes, open, show } = useLineComments(sessionKey);
  const code = useMemo(() => new LinedCode(text, file), [text, file]);
  const lines = useMemo(() => linesOf(text), [text]);
  useEffect(() => {
    if (line !== undefined) list.current?.scrollToIndex(line - 1, { align: "center" });
  }, [line, lines]);
  if (lines.length === 0) return <p className={style.empty}>The file is empty.</p>;
  return (
    <VList
      ref={list}
      className={diff.list}
      data={lines}
      tabIndex={0}
      role="region"
      aria-label="Lines"
      data-diff=""
    >
      {(each) => (
        <div key={each.index}>
          <FileLine
            code={code}
            line={each}
            isMarked={each.number === line}
            isTabStop={each.number === (line ?? 1)}
            onComment={() => open(file, each)}
          />
          {notes.filter((note) => isNoteAt(note, file, each)).map(show)}
        </div>
      )}
    </VList>
  );
}

/** The lines of a file, as those of the new side of a diff. */
function linesOf(text: string): readonly DiffLine[] {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  return all
    .slice(0, maxLines)
    .map((content, index): DiffLine => ({ side: "new", number: index + 1, index, text: content }));
}

interface FileLineProps {
  readonly code: LinedCode;
  readonly line: DiffLine;
  readonly isMarked: boolean;
  readonly isTabStop: boolean;
  readonly onComment: () => void;
}

function FileLine({ code, line, isMarked, isTabStop, onComment }: FileLineProps): ReactNode {
  const pieces = useColouredLine(code, line.index);
  return (
    <div className={style.fileLine} data-marked={isMarked} aria-current={isMarked ? "location" : undefined}>
      <NumberButton line={line} layout="split" isTabStop={isTabStop} onComment={onComment} />
      <code className={diff.code}>
        <CodePieces text={line.text} pieces={pieces} />
      </code>
    </div>
  );
}

const pictures: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

function useContent(path: string): Content {
  const host = useHost();
  const isReachable = useIsReachable();
  const [content, setContent] = useState<Content>({ status: "loading" });
  const readPath = useRef<string>(undefined);
  useEffect(() => {
    // A file that was read stays as it is when the connection is back.
    if (!isReachable || readPath.current === path) return;
    let isCurrent = true;
    const become = (next: Content): void => {
      if (isCurrent) setContent(next);
    };
    become({ status: "loading" });
    const picture = pictures[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
    const encoding = picture === undefined ? "utf-8" : "base64";
    host.client.request("resourceRead", { channel: ROOT_URI, uri: fileUriOf(path), encoding }).then(
      ({ data, encoding: given }) => {
        if (isCurrent) readPath.current = path;
        if (picture !== undefined && given === "base64") {
          become({ status: "picture", url: `data:${picture};base64,${data}` });
        } else if (given === "utf-8" && !data.includes("\0")) become({ status: "text", text: data });
        else become({ status: "unknown", reason: "The file is not text, so it cannot be shown here." });
      },
      (error: unknown) =>
        become({ status: "unknown", reason: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [host, path, isReachable]);
  return content;
}
