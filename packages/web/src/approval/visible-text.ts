// Text of an agent as it is: characters that hide or reorder others are shown by their codes.

/** C0 and C1 controls but newlines and tabs, marks of direction, and characters of no width. */
const hidden =
  /(?![\n\t])[\u0000-\u001F\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

export function visibleText(text: string): string {
  return text.replaceAll(hidden, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}
