// The line that stands for a thought: its first line without the marks of Markdown.

const maxChars = 110;

/** The first line of a thought, cut to what a line holds. */
export function thoughtLine(text: string): string {
  const [firstLine = ""] = text.trim().split("\n", 1);
  const line = firstLine
    .replace(/^#{1,6}\s+/, "")
    // Names in code keep their underscores and stars.
    .split("`")
    .map((part, index) => (index % 2 === 0 ? withoutEmphasis(part) : part))
    .join("")
    .trim();
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
}

function withoutEmphasis(text: string): string {
  return text
    .replaceAll(/(\*\*|__)(?=\S)(.+?)\1(?!\w)/g, "$2")
    .replaceAll(/(?<!\w)([*_])(?=\S)(.+?)\1(?!\w)/g, "$2");
}
