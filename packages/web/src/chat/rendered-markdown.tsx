// Text of an agent as Markdown, cleaned of everything that could do more than be read. Loaded when the first one is shown.
import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";
import { type RefObject, useDeferredValue, useLayoutEffect, useMemo, useRef, type ReactNode } from "react";
import { usePathLinks } from "../changes/path-links.ts";
import { copyText } from "../ui/copy-button.tsx";
import { codeLanguage } from "./code-languages.ts";
import style from "./markdown-text.module.css";
import { useCodeColours } from "./code-painting.ts";

const marked = new Marked({ gfm: true, breaks: false, renderer: { code: codeHtml } });

const allowed = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "textarea", "select", "iframe", "video", "audio"],
  FORBID_ATTR: ["style", "id", "class", "name"],
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  // Content that is wider or longer than its place scrolls, by the keyboard too.
  if (node.nodeName === "PRE" || node.nodeName === "TABLE") node.setAttribute("tabindex", "0");
  if (node.nodeName !== "A") return;
  // Pages that an agent links to must not reach back to this page.
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/** The text as it reads; while more comes, drawing it waits for what is more urgent. */
export default function RenderedMarkdown({ text }: { readonly text: string }): ReactNode {
  const shown = useDeferredValue(text);
  const html = useMemo(() => DOMPurify.sanitize(marked.parse(shown, { async: false }), allowed), [shown]);
  const element = useRef<HTMLDivElement>(null);
  useCopyButtons(element, html);
  usePathLinks(element, html);
  useCodeColours(element, html);
  return <div ref={element} className={style.markdown} dangerouslySetInnerHTML={{ __html: html }} />;
}

const saidMs = 1600;

/** Adds a button to every block of code, again each time the HTML changes. React does not know what is in it. */
function useCopyButtons(element: RefObject<HTMLElement | null>, html: string): void {
  useLayoutEffect(() => {
    for (const block of element.current?.querySelectorAll("pre") ?? []) {
      const place = document.createElement("div");
      place.className = style.block ?? "";
      const button = document.createElement("button");
      button.type = "button";
      button.className = style.copyCode ?? "";
      button.textContent = "Copy code";
      button.addEventListener("click", () => {
        if (!copyText(block.textContent.trimEnd())) return;
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy code"), saidMs);
      });
      block.replaceWith(place);
      place.append(block, button);
    }
  }, [element, html]);
}

/** A block of code; its language is noted once its fence is closed, since colours would change with every line before. */
function codeHtml({ raw, text, lang }: Tokens.Code): string {
  const language = /(```|~~~)\s*$/.test(raw) ? codeLanguage(lang ?? "") : undefined;
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<pre><code${language === undefined ? "" : ` data-language="${language}"`}>${escaped}\n</code></pre>\n`;
}
