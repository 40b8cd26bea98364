// Words for a command line that somebody is to paste.

/** A word of a command line, also one with blanks or quotes in it. */
export function quote(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
