// Command lines as approvals show and compare them: words quoted for a shell, known shell wrappers taken off.
import { isAbsolute } from "node:path";

/** Words that a shell reads as they are. */
const plainWord = /^[\w./@%+=:,-]+$/;

/** A program and its arguments as the line that a shell would need for them. */
export function quoteWords(words: readonly string[]): string {
  return words.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** Shells by their real names; a program of another folder with the same name is none. */
const shellNames = new Set(["sh", "bash", "zsh", "dash"]);
const shellFolders = new Set(["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]);
/** The flags with which agents run a line; others change what the line does. */
const scriptFlags = new Set(["-c", "-lc"]);

/** The line of a program with arguments: that of a known shell is the script that it runs. */
export function lineOf(words: readonly string[]): string {
  const [program = "", flag = "", script, ...others] = words;
  const isScript = isShell(program) && scriptFlags.has(flag) && script !== undefined && others.length === 0;
  return isScript ? script.trim() : quoteWords(words);
}

function isShell(program: string): boolean {
  const slash = program.lastIndexOf("/");
  if (!shellNames.has(program.slice(slash + 1))) return false;
  return slash === -1 || (isAbsolute(program) && shellFolders.has(program.slice(0, slash)));
}

/** Prefixes that agents put before a line to run it in its folder. */
const changeOfFolder = /^cd (?:'([^']*)'|"([^"$`\\]*)"|([\w./-]+)) && /;

/** The line without a change to the very folder that it runs in; two lines that are then equal do the same. */
export function normalizeLine(line: string, cwd: string): string {
  const trimmed = line.trim();
  const change = changeOfFolder.exec(trimmed);
  if (change === null || !change.slice(1).includes(cwd)) return trimmed;
  return trimmed.slice(change[0].length).trim();
}
