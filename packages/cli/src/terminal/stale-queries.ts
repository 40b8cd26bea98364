// Takes questions to the terminal out of old output: they were answered long ago, and an answer now would be typed (C41).

/** Status and cursor, device attributes, modes, sizes of the window, keyboard, version, colours, settings, terminfo. */
const queries = new RegExp(
  [
    "\\u001B\\[\\??[56]n",
    "\\u001B\\[[>=]?\\d*c",
    "\\u001B\\[\\??\\d+\\$p",
    "\\u001B\\[(?:1[1-9]|2[01])(?:;\\d+)*t",
    "\\u001B\\[\\?u",
    "\\u001B\\[>\\d*q",
    "\\u001B\\](?:4;\\d+|\\d{2});\\?(?:\\u0007|\\u001B\\\\)",
    "\\u001BP[+$]q[^\\u001B]*\\u001B\\\\",
    "\\u0005",
  ].join("|"),
  "g",
);

/** Old output without its questions. */
export function withoutQueries(output: string): string {
  return output.replaceAll(queries, "");
}
