// `holdfast changes`: what changed in a session's folder, since its first turn or in one (C740).
import type { Command } from "commander";
import type { ChangedFile, ChangeList, FileDiff, Holdfast } from "@holdfast/sdk";
import { CommandError } from "../command-error.ts";
import type { Console, Paint } from "../console.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { safeLines, safeText } from "../safe-text.ts";
import { hostCommand, type Runner } from "./command.ts";
import { resolveSession } from "./session-name.ts";

interface ChangesOptions {
  readonly turn?: string;
  readonly diff?: boolean;
}

export function addChanges(program: Command, run: Runner): void {
  hostCommand(program, "changes", "list what changed in a session's folder, whatever changed it")
    .argument("[session]", "key of the session, or a prefix of its name (default: the newest one here)")
    .option("--turn <turn>", "only the changes of this turn: its number, from 1")
    .option("--diff", "print the changes as a patch")
    .action(
      run(
        async ({ console, cwd, host }, word: string | undefined, { turn, diff = false }: ChangesOptions) => {
          const { api } = await host({ mayStart: false });
          const sessionKey = word === undefined ? await newestIn(api, cwd) : await resolveSession(api, word);
          if (diff) {
            const found = await api.changes.diff(sessionKey, { turn });
            await printDiffs(console, found);
            if (!found.isComplete && !console.json) {
              noteIncomplete(console, await api.changes.list(sessionKey, { turn }));
            }
            return;
          }
          const changes = await api.changes.list(sessionKey, { turn });
          if (console.json) return console.printJson(changes);
          return printList(console, changes);
        },
      ),
    );
}

/** The session with the newest activity among those that work in a folder, or in one around it. */
async function newestIn(api: Holdfast, cwd: string): Promise<string> {
  const sessions = await api.acpAgent.listSessions();
  const here = sessions.filter(({ runtime_options: { cwd: folder } }) => {
    return folder !== undefined && (cwd === folder || cwd.startsWith(folder.replace(/\/?$/, "/")));
  });
  const [newest] = here.toSorted((one, other) =>
    (other.last_activity_at ?? "").localeCompare(one.last_activity_at ?? ""),
  );
  if (newest !== undefined) return newest.session_key;
  throw new CommandError("ACP_SESSION_NOT_FOUND", `No open session works in ${safeText(cwd)}.`, {
    exitCode: EXIT_CODES.missing,
    remedy: "`holdfast ls` lists the sessions; name one.",
  });
}

const letters = { added: "A", modified: "M", deleted: "D", renamed: "R", "type-changed": "T" } as const;

const omittedReasons: Readonly<Record<ChangeList["omitted"][number]["reason"], string>> = {
  "too-large": "larger than 8 MiB",
  "too-many": "too many untracked files",
  "nested-repository": "a separate repository",
  "not-a-file": "a FIFO, a socket or a device",
  unreadable: "git cannot read it",
};

async function printList(console: Console, changes: ChangeList): Promise<void> {
  const { files, summary, omitted } = changes;
  const { paint } = console;
  for (const file of files) await console.print(lineOf(console, file));
  for (const { path, reason } of omitted) {
    await console.print(
      `${paint.dim("?")}  ${safeText(path)}  ${paint.dim(`not compared: ${omittedReasons[reason]}`)}`,
    );
  }
  const noun = summary.files === 1 ? "file" : "files";
  await console.print(`${summary.files} ${noun}, +${summary.additions} -${summary.deletions}`);
  if (changes.source === "agent") noteIncomplete(console, changes);
}

/** Says why changes are missing (C867). */
function noteIncomplete(console: Console, { source, reason }: ChangeList): void {
  if (source === "git") return console.note("Some files are left out: they are too large, or not compared.");
  if (reason === undefined) {
    return console.note("Outside of a git repository: only what the agent reported.");
  }
  return console.warn(`Only what the agent reported is shown. ${safeText(reason)}`);
}

function lineOf({ paint }: Console, file: ChangedFile): string {
  const { path, oldPath, status, kind, additions, deletions, isBinary, staged, oldMode, newMode } = file;
  const name = oldPath === undefined ? safeText(path) : `${safeText(oldPath)} → ${safeText(path)}`;
  const lines =
    isBinary === true ? "binary" : `${paint.green(`+${additions}`)} ${paint.red(`-${deletions}`)}`;
  const more = [
    kind === "file" ? undefined : kind,
    oldMode === undefined || newMode === undefined ? undefined : `mode ${oldMode} → ${newMode}`,
    staged === undefined ? undefined : `staged: ${staged}`,
  ];
  const details = more.filter((each) => each !== undefined).join(", ");
  return `${letters[status]}  ${name}  ${lines}${details === "" ? "" : paint.dim(`  (${details})`)}`;
}

async function printDiffs(
  console: Console,
  { diffs, isComplete }: { readonly diffs: readonly FileDiff[]; readonly isComplete: boolean },
): Promise<void> {
  if (console.json) return console.printJson({ diffs, isComplete });
  const { paint, streams } = console;
  // A file or a pipe gets the patch as it is: git must be able to apply it (C867).
  const shown = streams.stdout.isTTY ? safeLines : (text: string): string => text;
  for (const { file, hunks, isTooLarge } of diffs) {
    for (const line of headerOf(file, hunks.length > 0)) await console.print(paint.bold(shown(line)));
    if (isTooLarge === true) await console.print(paint.dim("The diff is too large to be shown."));
    for (const { id, oldStart, oldLines, newStart, newLines, heading, text } of hunks) {
      const place = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
      await console.print(paint.dim(`${place} ${shown(heading)} (hunk ${id})`.replace("  ", " ")));
      for (const line of text.replace(/\n$/, "").split("\n")) {
        await console.print(paintLine(paint, shown(line)));
      }
    }
  }
  return undefined;
}

/** The lines before the hunks of a file, as git writes them: modes and names where they changed, files where lines did. */
function headerOf(file: ChangedFile, hasHunks: boolean): string[] {
  const { path, oldPath = path, status, oldMode, newMode, isBinary } = file;
  const isRenamed = file.oldPath !== undefined;
  const [before, now] = [patchName("a/", oldPath), patchName("b/", path)];
  const isExtended = oldMode !== undefined || isRenamed || !hasHunks;
  return [
    ...(isExtended ? [`diff --git ${before} ${now}`] : []),
    ...(oldMode === undefined || newMode === undefined ? [] : [`old mode ${oldMode}`, `new mode ${newMode}`]),
    ...(isRenamed ? [`rename from ${patchName("", oldPath)}`, `rename to ${patchName("", path)}`] : []),
    ...(isBinary === true ? [`Binary files ${before} and ${now} differ`] : []),
    ...(hasHunks
      ? [
          `--- ${status === "added" ? "/dev/null" : before}`,
          `+++ ${status === "deleted" ? "/dev/null" : now}`,
        ]
      : []),
  ];
}

/** A file's name in a patch; like git, quoted where it has a quote, a backslash or a control character. */
function patchName(side: "a/" | "b/" | "", name: string): string {
  // The host quotes names that are not UTF-8.
  if (name.startsWith('"')) return `"${side}${name.slice(1)}`;
  if (!/[\u0000-\u001F\u007F"\\]/.test(name)) return `${side}${name}`;
  const quoted = name.replaceAll(/[\u0000-\u001F\u007F"\\]/g, (character) =>
    character === '"' || character === "\\"
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${side}${quoted}"`;
}

function paintLine(paint: Paint, line: string): string {
  if (line.startsWith("+")) return paint.green(line);
  return line.startsWith("-") ? paint.red(line) : line;
}
