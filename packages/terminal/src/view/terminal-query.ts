// The queries that programs send to their terminal, and how their bytes are read.

/** A query of a program. */
export type TerminalQuery =
  /** Primary, secondary or tertiary device attributes (DA1, DA2, DA3): which terminal are you? */
  | { readonly kind: "attributes"; readonly level: 1 | 2 | 3 }
  /** Its name and version (XTVERSION). */
  | { readonly kind: "version" }
  /** Whether it is well (DSR 5). */
  | { readonly kind: "status" }
  /** Where the cursor is (CPR; `isExtended` for DECXCPR). */
  | { readonly kind: "cursor"; readonly isExtended: boolean }
  /** Whether a mode is set (DECRQM). */
  | { readonly kind: "mode"; readonly number: number; readonly isPrivate: boolean }
  /** A colour: of the palette (`code` 4 and an index), foreground (10), background (11) or cursor (12). */
  | {
      readonly kind: "color";
      readonly code: 4 | 10 | 11 | 12;
      readonly index: number;
      /** How the query ended, which is how the reply ends. */
      readonly terminator: "\x07" | "\x1b\\";
    };

const controlQueries: Readonly<Record<string, TerminalQuery>> = {
  c: { kind: "attributes", level: 1 },
  ">c": { kind: "attributes", level: 2 },
  "=c": { kind: "attributes", level: 3 },
  ">q": { kind: "version" },
  "5n": { kind: "status" },
  "6n": { kind: "cursor", isExtended: false },
  "?6n": { kind: "cursor", isExtended: true },
};

/** The query in a control sequence, given as its parameters and its final byte. */
export function readControlQuery(control: string): readonly TerminalQuery[] {
  // A lone 0 is the same as nothing.
  const query = controlQueries[control.replace(/^([>=]?)0(?=[cq]$)/, "$1")];
  if (query !== undefined) return [query];
  const [, prefix, number] = /^(\??)(\d{1,5})\$p$/.exec(control) ?? [];
  return number === undefined ? [] : [{ kind: "mode", number: Number(number), isPrivate: prefix === "?" }];
}

/** The queries in an operating system command, given without its introducer and its end. */
export function readColorQuery(command: string, terminator: "\x07" | "\x1b\\"): readonly TerminalQuery[] {
  const [code, ...fields] = command.split(";");
  if (code === "4") {
    return fields.flatMap((field, at): TerminalQuery[] =>
      at % 2 === 0 && fields[at + 1] === "?" && /^\d{1,3}$/.test(field) && Number(field) < 256
        ? [{ kind: "color", code: 4, index: Number(field), terminator }]
        : [],
    );
  }
  const first = Number(code);
  if (first < 10 || first > 12 || !/^1[012]$/.test(code ?? "")) return [];
  // Each further field is about the next of the three.
  return fields.flatMap((field, at): TerminalQuery[] => {
    const asked = first + at;
    if (field !== "?" || (asked !== 10 && asked !== 11 && asked !== 12)) return [];
    return [{ kind: "color", code: asked, index: 0, terminator }];
  });
}
