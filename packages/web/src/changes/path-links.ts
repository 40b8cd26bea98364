// Links from `path:line` in the text of a conversation to the file at that line.
import { type RefObject, useLayoutEffect } from "react";
import { routeHash, useRoute, type SessionRoute } from "../frame/route.ts";

/** A path with an extension, then a line and perhaps a column; a URL or a time is none. */
const pathPattern =
  /(?<![\w/:.@-])((?:\.{0,2}\/)?(?:[\w.@+-]+\/)*[\w.@+-]*\w\.[A-Za-z][\w]{0,9}):([1-9]\d{0,6})(?::\d{1,5})?(?![\w/])/g;

export interface FoundPath {
  readonly start: number;
  readonly end: number;
  readonly file: string;
  readonly line: number;
}

/** The places of `path:line` in a text. */
export function findPaths(text: string): FoundPath[] {
  return [...text.matchAll(pathPattern)].map((match) => {
    const [whole, file = "", line = ""] = match;
    return {
      start: match.index,
      end: match.index + whole.length,
      file: file.startsWith("./") ? file.slice(2) : file,
      line: Number(line),
    };
  });
}

/** Makes links of the paths in an element, again each time its HTML changes; only in a session. */
export function usePathLinks(element: RefObject<HTMLElement | null>, html: string): void {
  const route = useRoute();
  const session = route.place === "session" ? route.session : undefined;
  useLayoutEffect(() => {
    if (element.current === null || session === undefined) return;
    linkPaths(element.current, { place: "session", session, view: "changes" });
  }, [element, html, session]);
}

/** Code blocks stay as they are: their colours are painted over them. */
const leftOut = "a, pre";

function linkPaths(element: HTMLElement, base: SessionRoute): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode() !== null) {
    const { currentNode } = walker;
    const isFree = currentNode instanceof Text && currentNode.parentElement?.closest(leftOut) === null;
    if (isFree && currentNode.data.includes(":")) found.push(currentNode);
  }
  for (const text of found) {
    const paths = findPaths(text.data);
    if (paths.length > 0) text.replaceWith(linkedText(text.data, paths, base));
  }
}

function linkedText(text: string, paths: readonly FoundPath[], base: SessionRoute): DocumentFragment {
  const made = document.createDocumentFragment();
  let at = 0;
  for (const { start, end, file, line } of paths) {
    const link = document.createElement("a");
    link.href = routeHash({ ...base, file, line });
    link.textContent = text.slice(start, end);
    made.append(text.slice(at, start), link);
    at = end;
  }
  made.append(text.slice(at));
  return made;
}
