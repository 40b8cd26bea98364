// Short names on the command line: the beginning of an id, and the error for a word that matches several things.
import { CommandError } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { safeText } from "./safe-text.ts";

/** Enough to distinguish what one host has. */
const shortLength = 8;
const candidatesShown = 5;

export function shortName(id: string): string {
  return safeText(id.slice(0, shortLength));
}

export function ambiguousName(
  { code, noun, remedy }: { readonly code: string; readonly noun: string; readonly remedy: string },
  word: string,
  candidates: readonly string[],
): CommandError {
  const names = candidates.slice(0, candidatesShown);
  const more = candidates.length > names.length ? `, and ${candidates.length - names.length} more` : "";
  const message = `"${safeText(word)}" matches ${candidates.length} ${noun}: ${names.join(", ")}${more}.`;
  return new CommandError(code, message, { exitCode: EXIT_CODES.setup, remedy });
}
