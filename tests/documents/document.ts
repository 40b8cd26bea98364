// The documents of the repository as tests read them: their blocks with marks, headings and links.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Instructions in the comment above a block. */
export type Mark =
  /** It is run by a test. */
  | { readonly kind: "run"; readonly name: string }
  /** It cannot be run by a test, and why. */
  | { readonly kind: "not run"; readonly reason: string }
  /** It is what the block that was run before it prints. */
  | { readonly kind: "prints" };

/** A fenced block. */
export interface Block {
  readonly language: string;
  readonly code: string;
  /** Where its fence begins, counted from 1. */
  readonly line: number;
  readonly mark: Mark | undefined;
}

/** A link, as it is written. */
export interface Link {
  readonly target: string;
  readonly line: number;
}

/** One Markdown file. */
export interface Document {
  /** From the folder of the repository on. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The anchors of its headings, as they are made from their words. */
  readonly anchors: ReadonlySet<string>;
  readonly links: readonly Link[];
}

const fence = /^```(\S*)\s*$/;
const marking = /^<!-- (run|not run|prints):? ?(.*?) -->$/;

/** Every document for users and contributors. */
export function readDocuments(): Document[] {
  const documents = readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => path.posix.join("docs", name));
  const atTheTop = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "SPEC.md"];
  const packages = readdirSync(path.join(root, "packages"))
    .map((name) => path.posix.join("packages", name, "README.md"))
    .filter((file) => existsSync(path.join(root, file)));
  return [...atTheTop, ...documents, ...packages].map(readDocument);
}

/** One document by its path. */
export function readDocument(documentPath: string): Document {
  return parseDocument(documentPath, readFileSync(path.join(root, documentPath), "utf8"));
}

/** Reads the text of a document. */
export function parseDocument(documentPath: string, text: string): Document {
  const blocks: Block[] = [];
  const anchors = new Set<string>();
  const links: Link[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const language = fence.exec(lines[index] ?? "")?.[1];
    if (language === undefined) {
      readLine(lines[index] ?? "", index + 1, anchors, links);
      continue;
    }
    const end = lines.indexOf("```", index + 1);
    const code = lines.slice(index + 1, end).join("\n");
    blocks.push({ language, code, line: index + 1, mark: readMark(lines[index - 1] ?? "") });
    index = end;
  }
  return { path: documentPath, text, blocks, anchors, links };
}

/** The text between two marks of a table that a program writes; undefined when it has none. */
export function generatedPart({ text }: Document, name: string): string | undefined {
  const [begin, end] = generatedMarks(name);
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  return from === -1 || to === -1 ? undefined : text.slice(from + begin.length, to).trim();
}

/** The same document with another text between the marks. */
export function withGeneratedPart(document: Document, name: string, part: string): string {
  const [begin, end] = generatedMarks(name);
  const before = document.text.split(begin)[0];
  const after = document.text.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`${document.path} has no place for ${name}`);
  }
  return `${before}${begin}\n\n${part}\n\n${end}${after}`;
}

function generatedMarks(name: string): [begin: string, end: string] {
  return [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
}

function readMark(line: string): Mark | undefined {
  const [, kind, words = ""] = marking.exec(line) ?? [];
  if (kind === "run") return { kind, name: words };
  if (kind === "not run") return { kind, reason: words };
  return kind === "prints" ? { kind } : undefined;
}

function readLine(line: string, lineNumber: number, anchors: Set<string>, links: Link[]): void {
  const heading = /^#+ (.*)$/.exec(line)?.[1];
  if (heading !== undefined) anchors.add(anchorOf(heading));
  // What stands in code is not a link.
  for (const [, target = ""] of line.replaceAll(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)) {
    links.push({ target, line: lineNumber });
  }
}

/** The anchor of a heading, as the places that show Markdown make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(/\s/g, "-");
}
