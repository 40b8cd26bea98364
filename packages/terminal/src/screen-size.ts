// The sizes of a terminal's screen: one default, one check and one pair of bounds for the PTY, the text and the state.
import { invalidRequest } from "./terminal-error.ts";

/** The size of a terminal in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The size of a terminal whose request has none. */
export const DEFAULT_SIZE: ScreenSize = { columns: 80, rows: 24 };

const bounds = { columns: { least: 2, most: 1000 }, rows: { least: 1, most: 500 } } as const;

/** The nearest size that a screen can have (T8). */
export function clampSize({ columns, rows }: ScreenSize): ScreenSize {
  return { columns: clamp(columns, bounds.columns), rows: clamp(rows, bounds.rows) };
}

/** The clamped size of a request; throws for what is not a whole number. */
export function checkSize(size: Partial<ScreenSize>): ScreenSize {
  const check = (name: keyof ScreenSize): number => {
    const value = size[name] ?? DEFAULT_SIZE[name];
    if (!Number.isSafeInteger(value)) throw invalidRequest(name, "a whole number");
    return value;
  };
  return clampSize({ columns: check("columns"), rows: check("rows") });
}

function clamp(value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return Math.min(Math.max(value, least), most);
}
