// The last lines of something.

/** The last so many lines of a text; a line without an end counts too. */
export function lastLines(text: string, count: number): string {
  let start = text.length;
  for (let lines = 0; lines < count && start > 0; lines += 1) start = lineStart(text, start);
  return text.slice(start);
}

/** Where the line begins that ends before an index. */
function lineStart(text: string, end: number): number {
  return end < 2 ? 0 : text.lastIndexOf("\n", end - 2) + 1;
}
