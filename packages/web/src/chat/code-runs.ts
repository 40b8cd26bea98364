// Coloured code as numbers, which pass between threads without a copy.

/** Where each run of one colour ends in the code, and which colour it has. */
export interface CodeRuns {
  readonly ends: Uint32Array<ArrayBuffer>;
  /** For each run the place of its colour in the palette, from 1 on; 0 for the colour of plain text. */
  readonly colours: Uint8Array<ArrayBuffer>;
  /** CSS colours. */
  readonly palette: readonly string[];
}

/** A piece of a line, as a highlighter gives it. */
export interface CodePiece {
  readonly content: string;
  readonly color?: string | undefined;
}

/** Joins the pieces of each line to runs: as few as can be, since each becomes an element; every line ends a run. */
export function joinRuns(
  code: string,
  lines: readonly (readonly CodePiece[])[],
  plainColour: string,
): CodeRuns {
  const ends: number[] = [];
  const colours: number[] = [];
  const palette: string[] = [];
  let offset = 0;
  for (const line of lines) {
    const first = ends.length;
    for (const { content, color = plainColour } of line) {
      offset += content.length;
      const colour = color === plainColour ? 0 : placeIn(palette, color);
      const last = ends.length - 1;
      // Blanks have no colour to be seen.
      const isSame = last >= first && (colours[last] === colour || content.trim() === "");
      if (isSame) ends[last] = offset;
      else {
        ends.push(offset);
        colours.push(colour);
      }
    }
    // The pieces have no line ends, of one character or two.
    offset += code[offset] === "\r" ? 2 : 1;
    if (ends.length === first) {
      ends.push(offset);
      colours.push(0);
    } else ends[ends.length - 1] = offset;
  }
  return { ends: Uint32Array.from(ends), colours: Uint8Array.from(colours), palette };
}

function placeIn(palette: string[], colour: string): number {
  const index = palette.indexOf(colour);
  return index < 0 ? palette.push(colour) : index + 1;
}
