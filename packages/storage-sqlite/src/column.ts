// Reads the columns of a row as what they must be.
import { StorageError } from "@holdfast/core/ports";
import type { SqlRow } from "./driver.ts";

/** A column of text. */
export function textOf(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw new StorageError("damaged", `A row has no text in the column ${column}.`);
}

/** A column of text that may be empty. */
export function maybeTextOf(row: SqlRow, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

/** A column of whole numbers. */
export function numberOf(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw new StorageError("damaged", `A row has no number in the column ${column}.`);
}
