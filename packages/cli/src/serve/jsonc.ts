// Reads JSON with comments; every syntax error is named by line and column.
import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";

/** The value of a text, or everything that is wrong with its syntax. */
export type ReadJsonc =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A text of comments alone is an empty object. */
export function readJsonc(text: string): ReadJsonc {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length === 0) return { ok: true, value: value === undefined ? {} : value };
  const problems = errors.map(
    ({ error, offset }) => `${placeOf(text, offset)}: ${sentenceOf(printParseErrorCode(error))}`,
  );
  return { ok: false, problems };
}

/** `line 3, column 7`, both counted from one as editors do. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}

/** `CommaExpected` as `comma expected`. */
function sentenceOf(code: string): string {
  return code.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
