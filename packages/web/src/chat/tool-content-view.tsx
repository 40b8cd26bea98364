// Content of a tool call: text, a changed file, a live terminal.
import { lazy, Suspense, type ReactNode } from "react";
import type { ToolContent } from "@holdfast/ahp";
import control from "../style/control.module.css";
import { CopyButton } from "../ui/copy-button.tsx";
import { useKeptChoice } from "../ui/kept-state.tsx";
import { useShownPath } from "./shown-path.ts";
import style from "./tool-call-card.module.css";

const FileDiff = lazy(() => import("./file-diff.tsx"));

export interface ToolContentProps {
  readonly content: ToolContent;
  readonly onGrow: (() => void) | undefined;
}

export function ToolContentView({ content, onGrow }: ToolContentProps): ReactNode {
  const shownPath = useShownPath();
  switch (content.type) {
    case "text":
      return <FoldedText text={content.text} />;
    case "fileEdit":
      return (
        <Suspense fallback={<p className={style.places}>{shownPath(content.path)}</p>}>
          <FileDiff edit={content} onGrow={onGrow} />
        </Suspense>
      );
    case "terminal":
      // The view of the call shows it.
      return null;
    case "embeddedResource":
      return content.contentType.startsWith("image/") ? (
        <img src={`data:${content.contentType};base64,${content.data}`} alt="Shown by the tool" />
      ) : (
        <span className={control.chip}>{content.contentType}</span>
      );
    case "resource":
      return <span className={control.chip}>{content.uri}</span>;
    case "raw":
      return <FoldedText text={JSON.stringify(content.value, undefined, 2)} />;
  }
}

/** As many lines as are shown of a text that nobody unfolded. */
const foldedLines = 16;

function FoldedText({ text }: { readonly text: string }): ReactNode {
  const [isUnfolded = false, setIsUnfolded] = useKeptChoice("text");
  const lines = text.split("\n");
  const isLong = lines.length > foldedLines;
  return (
    <>
      <div className={style.textPlace}>
        <pre className={style.text} tabIndex={0} aria-label="Text of the tool call">
          {isLong && !isUnfolded ? lines.slice(0, foldedLines).join("\n") : text}
        </pre>
        <span className={style.copy}>
          <CopyButton label="Copy output" text={() => text} />
        </span>
      </div>
      {isLong && (
        <button
          type="button"
          className={style.unfold}
          aria-expanded={isUnfolded}
          onClick={() => setIsUnfolded(!isUnfolded)}
        >
          {isUnfolded ? "Show less" : `Show all ${lines.length} lines`}
        </button>
      )}
    </>
  );
}
