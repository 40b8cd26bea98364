// How a script writes what may stand in a place: one word of its own, which its functions read again.
import type { CommandPlace, ValueKind } from "./command-tree.ts";

/** `=a b` for choices, `@session` for a noun, `file`, `folder`, or `-` for anything. */
export function valueCode(value: ValueKind): string {
  switch (value.kind) {
    case "choices":
      return `=${value.choices.join(" ")}`;
    case "noun":
      return `@${value.noun}`;
    case "file":
    case "folder":
      return value.kind;
    case "anything":
      return "-";
  }
}

/** A row for each option that takes a value: its place and spelling, and what the value may be. */
export function optionRows(
  places: readonly CommandPlace[],
): { readonly key: string; readonly code: string }[] {
  return places.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) =>
      value === undefined ? [] : flags.map((flag) => ({ key: `${path} ${flag}`, code: valueCode(value) })),
    ),
  );
}

/** A row for each argument: its place and number, `+` for those that are repeated, and what it may be. */
export function argumentRows(
  places: readonly CommandPlace[],
): { readonly path: string; readonly position: string; readonly code: string }[] {
  return places.flatMap(({ path, values, isRepeated }) =>
    values.map((value, index) => ({
      path,
      position: isRepeated && index === values.length - 1 ? "+" : String(index),
      code: valueCode(value),
    })),
  );
}

/** A word for a POSIX shell, whatever is in it. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
