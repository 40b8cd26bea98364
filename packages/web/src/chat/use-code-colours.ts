// Colours the code in a rendered text, block by block, as each comes into sight.
import { useLayoutEffect, type RefObject } from "react";
import { findColours, knownColours } from "./code-colouring.ts";
import { codeLanguage, type CodeLanguage } from "./code-languages.ts";
import { paintCode } from "./code-painting.ts";
import type { CodeRuns } from "./code-runs.ts";

/** Longer code stays plain: its many pieces would make the page slow. */
const maxCodeLength = 50_000;

/** Colours every `code` with a `data-language` in an element, anew each time its HTML is another. */
export function useCodeColours(element: RefObject<HTMLElement | null>, html: string): void {
  // Before the picture is drawn, so that code which has its colours does not lose them while more text comes.
  useLayoutEffect(() => {
    const languages = new Map<Element, CodeLanguage>();
    const sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const language = languages.get(target);
        if (!isIntersecting || language === undefined) continue;
        sight.unobserve(target);
        void findColours(target.textContent, language).then((runs) => paint(target, runs));
      }
    });
    for (const block of element.current?.querySelectorAll<HTMLElement>("code[data-language]") ?? []) {
      const language = codeLanguage(block.dataset["language"] ?? "");
      if (language === undefined || block.textContent.length > maxCodeLength) continue;
      const known = knownColours(block.textContent, language);
      if (known !== undefined) paint(block, known);
      else {
        languages.set(block, language);
        sight.observe(block);
      }
    }
    return () => sight.disconnect();
  }, [element, html]);
}

function paint(block: Element, runs: CodeRuns | undefined): void {
  // What was drawn anew in the meantime is painted there.
  if (runs !== undefined && block.isConnected) paintCode(block, block.textContent, runs);
}
