// Colours the code in a rendered text, block by block, as each comes into sight.
import { type RefObject, useLayoutEffect } from "react";
import { findColours, knownColours } from "./code-colouring.ts";
import { codeLanguage, type CodeLanguage } from "./code-languages.ts";
import type { CodeRuns } from "./code-runs.ts";

/** Longer code stays plain: its many pieces would make the page slow. */
const maxCodeLength = 50_000;

/** Colours every `code` with a `data-language` in an element, again each time its HTML changes. */
export function useCodeColours(element: RefObject<HTMLElement | null>, html: string): void {
  // Before the frame is drawn, so that coloured code does not lose its colours while more text comes.
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
  // A block that was redrawn meanwhile is painted there.
  if (runs !== undefined && block.isConnected) paintCode(block, block.textContent, runs);
}

/** How long the page may be busy with it at once. */
const budgetMs = 8;
/** How many runs are laid out together: each slice is a separate block, so that the next one leaves it as it is. */
const runsPerSlice = 120;

/** Paints the code in an element, whose text stays as it is. Stops when the element has left the page. */
function paintCode(block: Element, code: string, runs: CodeRuns): void {
  const slices = cutSlices(code, runs);
  const places = slices.map(({ start, end }) => plainSlice(code.slice(start, end)));
  block.replaceChildren(...places);
  let next = 0;
  const paintMore = (): void => {
    const startedMs = performance.now();
    while (next < slices.length && performance.now() - startedMs < budgetMs) {
      const slice = slices[next];
      const place = places[next];
      if (slice === undefined || place?.isConnected !== true) return;
      place.replaceChildren(paintSlice(code, runs, slice));
      next += 1;
    }
    if (next < slices.length) setTimeout(paintMore);
  };
  paintMore();
}

interface Slice {
  readonly firstRun: number;
  readonly lastRun: number;
  readonly start: number;
  readonly end: number;
}

/** Cuts at the ends of lines, as blocks do. */
function cutSlices(code: string, { ends }: CodeRuns): Slice[] {
  const slices: Slice[] = [];
  let firstRun = 0;
  let start = 0;
  for (const [run, end] of ends.entries()) {
    const isLast = run === ends.length - 1;
    const isFull = run - firstRun >= runsPerSlice && code[end - 1] === "\n";
    if (!isFull && !isLast) continue;
    slices.push({ firstRun, lastRun: run, start, end });
    firstRun = run + 1;
    start = end;
  }
  return slices;
}

function plainSlice(text: string): HTMLElement {
  const place = document.createElement("span");
  place.style.display = "block";
  place.textContent = text;
  return place;
}

function paintSlice(code: string, { ends, colours, palette }: CodeRuns, slice: Slice): DocumentFragment {
  const painted = document.createDocumentFragment();
  let start = slice.start;
  for (let run = slice.firstRun; run <= slice.lastRun; run += 1) {
    const end = ends[run] ?? slice.end;
    const text = code.slice(start, end);
    const colour = palette[(colours[run] ?? 0) - 1];
    if (colour === undefined) painted.append(text);
    else {
      const piece = document.createElement("span");
      piece.textContent = text;
      piece.style.color = colour;
      painted.append(piece);
    }
    start = end;
  }
  return painted;
}
