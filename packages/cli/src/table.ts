// Rows in columns, as wide as what is in them.
import type { Paint } from "./paint.ts";

/** A column of a table: its heading, and how it is painted. */
export interface Column {
  readonly heading: string;
  readonly paint?: (text: string) => string;
}

/** The lines of a table: headings, then the rows; the last column may be as long as it likes. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string[] {
  const widths = columns.map(({ heading }, index) =>
    Math.max(heading.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const isLast = (index: number): boolean => index === columns.length - 1;
  const pad = (text: string, index: number): string =>
    isLast(index) ? text : text.padEnd(widths[index] ?? 0);
  const lines = rows.map((row) =>
    columns
      .map(({ paint: own = (text) => text }, index) => own(pad(oneLine(row[index] ?? ""), index)))
      .join("  ")
      .trimEnd(),
  );
  return [
    paint.dim(
      columns
        .map(({ heading }, index) => pad(heading, index))
        .join("  ")
        .trimEnd(),
    ),
    ...lines,
  ];
}

/** Titles and commands may have breaks in them, which would break the table. */
function oneLine(text: string): string {
  return text.replaceAll(/[\u0000-\u001F\u007F]+/g, " ");
}
