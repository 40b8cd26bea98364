// Text of an agent as Markdown, cleaned of everything that could do more than be read. Loaded when the first one is shown.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useDeferredValue, useMemo, type ReactNode } from "react";
import style from "./markdown-text.module.css";

const marked = new Marked({ gfm: true, breaks: false });

const allowed = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "iframe", "video", "audio"],
  FORBID_ATTR: ["style", "id", "class", "name"],
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName !== "A") return;
  // What an agent links to must not reach back to this page.
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/** The text as it reads; while more comes, drawing it waits for what is more urgent. */
export default function RenderedMarkdown({ text }: { readonly text: string }): ReactNode {
  const shown = useDeferredValue(text);
  const html = useMemo(() => DOMPurify.sanitize(marked.parse(shown, { async: false }), allowed), [shown]);
  return <div className={style.markdown} dangerouslySetInnerHTML={{ __html: html }} />;
}
