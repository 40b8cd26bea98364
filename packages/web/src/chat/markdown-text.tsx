// Text of an agent: as it was written until the reader of Markdown is there, which takes a moment once.
import { lazy, memo, Suspense, type ReactNode } from "react";
import style from "./markdown-text.module.css";

const RenderedMarkdown = lazy(() => import("./rendered-markdown.tsx"));

export const MarkdownText = memo(function MarkdownText({ text }: { readonly text: string }): ReactNode {
  return (
    <Suspense fallback={<div className={style.plain}>{text}</div>}>
      <RenderedMarkdown text={text} />
    </Suspense>
  );
});
