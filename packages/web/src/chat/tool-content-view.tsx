// What a tool call shows: text, a changed file, a live terminal.
import { lazy, Suspense, type ReactNode } from "react";
import type { ToolContent } from "@holdfast/ahp";
import control from "../style/control.module.css";
import { ToolTerminal } from "../terminal/tool-terminal.tsx";
import style from "./tool-call-card.module.css";

const FileDiff = lazy(() => import("./file-diff.tsx"));

/** Something that a tool call shows. */
export interface ToolContentProps {
  readonly content: ToolContent;
  /** The title of the tool call, which stands above. */
  readonly knownTitle?: string | undefined;
  readonly onGrow: (() => void) | undefined;
}

/** The content by its kind. */
export function ToolContentView({ content, knownTitle, onGrow }: ToolContentProps): ReactNode {
  switch (content.type) {
    case "text":
      return <pre className={style.text}>{content.text}</pre>;
    case "fileEdit":
      return (
        <Suspense fallback={<p className={style.places}>{content.path}</p>}>
          <FileDiff edit={content} onGrow={onGrow} />
        </Suspense>
      );
    case "terminal":
      return <ToolTerminal content={content} knownTitle={knownTitle} onGrow={onGrow} />;
    case "embeddedResource":
      return content.contentType.startsWith("image/") ? (
        <img src={`data:${content.contentType};base64,${content.data}`} alt="Shown by the tool" />
      ) : (
        <span className={control.chip}>{content.contentType}</span>
      );
    case "resource":
      return <span className={control.chip}>{content.uri}</span>;
    case "raw":
      return <pre className={style.text}>{JSON.stringify(content.value, undefined, 2)}</pre>;
  }
}
