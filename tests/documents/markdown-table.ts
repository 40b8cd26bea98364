// Writes Markdown tables.

/** A table; bars inside cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows.map((row) => row.map(escapeBars))];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Text in the look of code. */
export function code(text: string): string {
  return `\`${text}\``;
}

function escapeBars(cell: string): string {
  return cell.replaceAll("|", String.raw`\|`);
}
