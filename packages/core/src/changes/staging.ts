// Staging and commits: the only work on a repository's own index and branches. Objects are written with our git folder
// as GIT_DIR, so that no filter, hook or signing program of the repository runs; HEAD alone is moved by the repository's.
import { lstat } from "node:fs/promises";
import path from "node:path";
import { HostError } from "@holdfast/protocol";
import type { FileEntry } from "./diff-output.ts";
import { type Git, GitError } from "./git.ts";
import {
  isOwnRepository,
  readSettings,
  type Repository,
  ownEnvironment,
  repositoryEnvironment,
} from "./repository.ts";
import { readHead } from "./working-tree.ts";

/** A file of which the repository's index has another state than HEAD. */
interface StagedFile {
  /** Zeros where HEAD has no such file. */
  readonly headMode: string;
  readonly headObject: string;
  /** The object in the index; zeros where the file is removed there. */
  readonly object: string;
}

/** What is staged, by path as latin1; empty where it cannot be read. */
export async function readStaged(git: Git, repository: Repository): Promise<ReadonlyMap<string, StagedFile>> {
  const { top, prefix } = repository;
  const head = await readHead(git, repository);
  const staged = new Map<string, StagedFile>();
  const against = head ?? (await emptyTree(git, repository));
  const scope = prefix === "" ? [] : [prefix];
  const args = ["diff-index", "--cached", "-r", "-z", "--raw", "--no-renames", against, "--", ...scope];
  const output = await git
    .run({ args, cwd: top, env: indexEnvironment(repository) })
    .catch((error: unknown) => {
      // A split index cannot be read from outside; there may be none, too.
      if (error instanceof GitError) return Buffer.alloc(0);
      throw error;
    });
  const fields = output.toString("latin1").split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [headMode = "", , headObject = "", object = ""] = (fields[at] ?? "").slice(1).split(" ");
    staged.set(fields[at + 1] ?? "", { headMode, headObject, object });
  }
  return staged;
}

/** Adds files to the repository's index as they are now. */
export async function stage(git: Git, repository: Repository, entries: readonly FileEntry[]): Promise<void> {
  const names = entries.flatMap(({ path: name, oldPath }) =>
    oldPath === undefined ? [name] : [oldPath, name],
  );
  const input = Buffer.concat(names.flatMap((name) => [name, Buffer.from([0])]));
  refuseForeign(repository);
  await refuseFilters(git, repository, input);
  const args = ["update-index", "--add", "--remove", "--replace", "-z", "--stdin"];
  const run = git.run({ args, cwd: repository.top, env: indexEnvironment(repository), input });
  await run.catch(explain("The files could not be staged"));
}

/** Gives files in the repository's index the state that HEAD has; the files themselves stay as they are. */
export async function unstage(
  git: Git,
  repository: Repository,
  entries: readonly FileEntry[],
): Promise<void> {
  refuseForeign(repository);
  const staged = await readStaged(git, repository);
  const names = entries.flatMap(({ path: name, oldPath }) =>
    oldPath === undefined ? [name] : [oldPath, name],
  );
  const lines = names.flatMap((name) => {
    const found = staged.get(name.toString("latin1"));
    if (found === undefined) return [];
    return [Buffer.from(`${found.headMode} ${found.headObject}\t`), name, Buffer.from([0])];
  });
  if (lines.length === 0) throw unavailable("None of these files is staged.");
  const args = ["update-index", "-z", "--index-info"];
  const input = Buffer.concat(lines);
  const run = git.run({ args, cwd: repository.top, env: indexEnvironment(repository), input });
  await run.catch(explain("The files could not be unstaged"));
}

/** Commits what is staged, without hooks and unsigned; returns the commit's id. */
export async function commit(git: Git, repository: Repository, message: string): Promise<string> {
  const { top, gitFolder } = repository;
  refuseForeign(repository);
  const { author } = await readSettings(git, repository);
  if (author === undefined) {
    throw unavailable("git does not know who commits. Set user.name and user.email with git config.");
  }
  await refuseUnfinished(repository);
  const env = indexEnvironment(repository);
  const head = await readHead(git, repository);
  const run = (args: readonly string[], more: object = {}): Promise<string> =>
    git.run({ args, cwd: top, env: { ...env, ...more } }).then((output) => output.toString("latin1").trim());
  const tree = await run(["write-tree"]).catch(explain("The staged files could not be written as a tree"));
  const before =
    head === undefined ? await emptyTree(git, repository) : await run(["rev-parse", `${head}^{tree}`]);
  if (tree === before) throw unavailable("Nothing is staged. Stage files first, or name them.");
  const { name, email } = author;
  const who = {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
  const parents = head === undefined ? [] : ["-p", head];
  const made = await git
    .run({
      args: ["commit-tree", tree, ...parents, "-F", "-"],
      cwd: top,
      env: { ...env, ...who },
      input: Buffer.from(`${message.trimEnd()}\n`),
    })
    .catch(explain("The commit could not be made"));
  const id = made.toString("latin1").trim();
  const [subject = ""] = message.trim().split("\n");
  const args = ["update-ref", "-m", `commit: ${subject}`, "HEAD", id, head ?? "0".repeat(id.length)];
  await git
    .run({ args, cwd: top, env: { ...repositoryEnvironment(), ...who, GIT_DIR: gitFolder } })
    .catch(explain("The branch could not be moved to the new commit"));
  return id;
}

/** Our git folder with the repository's index and objects, written as carefully as git does. */
function indexEnvironment(repository: Repository): Record<string, string> {
  return {
    ...ownEnvironment(repository),
    GIT_INDEX_FILE: repository.index,
    GIT_OBJECT_DIRECTORY: repository.objects,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsync",
    GIT_CONFIG_VALUE_0: "committed,loose-object,index",
  };
}

/** The agent may have put another repository in its place since the session began. */
function refuseForeign(repository: Repository): void {
  if (isOwnRepository(repository)) return;
  throw unavailable(`${repository.top}/.git leads to a repository elsewhere. Use git in a terminal.`);
}

/** A file that a filter translates would get into the index untranslated: git-lfs would store it whole. */
async function refuseFilters(git: Git, repository: Repository, input: Buffer): Promise<void> {
  const { filters } = await readSettings(git, repository);
  if (filters.size === 0) return;
  const args = ["check-attr", "-z", "--stdin", "filter"];
  const output = await git.run({ args, cwd: repository.top, env: ownEnvironment(repository), input });
  const fields = output.toString("utf8").split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const filter = fields[at + 2] ?? "";
    if (!filters.has(filter)) continue;
    const remedy = "Holdfast runs no programs that a repository names. Use git add in a terminal.";
    throw unavailable(`${fields[at]} needs the filter ${filter}. ${remedy}`);
  }
}

async function refuseUnfinished({ gitFolder }: Repository): Promise<void> {
  const marks = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];
  for (const mark of marks) {
    const found = await lstat(path.join(gitFolder, mark)).catch(() => undefined);
    if (found === undefined) continue;
    throw unavailable("A merge or rebase is in progress. Finish it with git in a terminal.");
  }
}

async function emptyTree(git: Git, repository: Repository): Promise<string> {
  const args = ["hash-object", "-t", "tree", "-w", "--stdin"];
  const input = Buffer.alloc(0);
  const output = await git.run({ args, cwd: repository.top, env: ownEnvironment(repository), input });
  return output.toString("latin1").trim();
}

function explain(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GitError)) throw error;
    throw unavailable(`${what}: ${error.message}.`, error);
  };
}

function unavailable(message: string, cause?: Error): HostError {
  return new HostError("CHANGES_UNAVAILABLE", message, { cause });
}
