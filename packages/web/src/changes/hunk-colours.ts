// Colours of the lines of a hunk or file: found once, when the first of its lines is drawn.
import { useEffect, useSyncExternalStore } from "react";
import { findColours } from "../chat/code-colouring.ts";
import { codeLanguage, type CodeLanguage } from "../chat/code-languages.ts";
import type { CodeRuns } from "../chat/code-runs.ts";

/** A piece of a line; without a colour it is plain. */
export interface ColouredPiece {
  readonly text: string;
  readonly colour: string | undefined;
}

type Lines = readonly (readonly ColouredPiece[])[];

/** Longer code stays plain. */
const maxCodeLength = 200_000;

/** Code whose lines are drawn one by one. The same object stands for the same code. */
export class LinedCode {
  readonly #code: string;
  readonly #language: CodeLanguage | undefined;
  readonly #listeners = new Set<() => void>();
  #lines: Lines | undefined;
  #isAsked = false;

  constructor(code: string, path: string) {
    this.#code = code;
    this.#language = code.length > maxCodeLength ? undefined : languageOf(path);
  }

  readonly lines = (): Lines | undefined => this.#lines;

  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Finds the colours, unless they were asked for before. */
  ask(): void {
    if (this.#isAsked || this.#language === undefined) return;
    this.#isAsked = true;
    void findColours(this.#code, this.#language).then((runs) => {
      if (runs === undefined) return;
      this.#lines = splitLines(this.#code, runs);
      for (const listener of this.#listeners) listener();
    });
  }
}

/** The pieces of a line; undefined until the colours are known. */
export function useColouredLine(code: LinedCode, index: number): readonly ColouredPiece[] | undefined {
  useEffect(() => code.ask(), [code]);
  return useSyncExternalStore(code.listen, code.lines)?.[index];
}

/** The language of a file by its name. */
function languageOf(path: string): CodeLanguage | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return codeLanguage(name.slice(name.lastIndexOf(".") + 1));
}

/** Cuts coloured code into its lines; every line ends a run. */
function splitLines(code: string, { ends, colours, palette }: CodeRuns): Lines {
  const lines: ColouredPiece[][] = [];
  let pieces: ColouredPiece[] = [];
  let start = 0;
  for (const [run, end] of ends.entries()) {
    const text = code.slice(start, end);
    const isLineEnd = text.endsWith("\n") || end > code.length;
    const shown = text.endsWith("\n") ? text.slice(0, -1) : text;
    if (shown !== "") pieces.push({ text: shown, colour: palette[(colours[run] ?? 0) - 1] });
    if (isLineEnd) {
      lines.push(pieces);
      pieces = [];
    }
    start = end;
  }
  if (pieces.length > 0) lines.push(pieces);
  return lines;
}
