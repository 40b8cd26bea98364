// The repository that a session's folder lies in: where it is, what of its configuration counts, and a git folder of
// ours that stands in for its own. Agents can write a repository's configuration, and git would run programs it names
// (fsmonitor, filters, textconv, hooks, gpg). So snapshots and diffs use our folder as GIT_DIR, which borrows nothing
// but objects, and the repository's own only serves to find HEAD and, for a commit, to move it.
import { createHash } from "node:crypto";
import { lstatSync, realpathSync } from "node:fs";
import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { brokenLink, linkedRepository } from "../isolation/linked-repository.ts";
import { liesIn } from "../resource/files.ts";
import { type Git, GitError } from "./git.ts";

/** A repository, as git found it from a session's folder. */
export interface Repository {
  /** The top of its working tree. */
  readonly top: string;
  /** The session's folder below it: empty, or a path that ends in a slash. */
  readonly prefix: string;
  readonly gitFolder: string;
  readonly objects: string;
  readonly index: string;
  readonly attributes: string;
  /** Names that it ignores besides those in its `.gitignore` files. */
  readonly exclude: string;
  /** Settings that change nothing but how contents are compared. */
  readonly settings: ReadonlyMap<string, string>;
  /** Our own git folder for it. */
  readonly own: string;
}

/** The configuration of a repository; somebody may change it while the session is open. */
interface Settings extends Pick<Repository, "settings"> {
  /** The names of filters that are configured; none of them is ever run. */
  readonly filters: ReadonlySet<string>;
  readonly author: { readonly name: string; readonly email: string } | undefined;
}

/** Whether a folder or one around it has a `.git`: a cheap look before git is asked. */
export function mayHaveRepository(folder: string): boolean {
  return folderWithGit(folder) !== undefined;
}

/** The problem of the nearest `.git`, if it is a file that leads nowhere (C867). */
export function brokenRepository(folder: string): string | undefined {
  const top = folderWithGit(folder);
  return top === undefined ? undefined : brokenLink(top);
}

function folderWithGit(folder: string): string | undefined {
  for (let at = folder; ; at = path.dirname(at)) {
    if (lstatSync(path.join(at, ".git"), { throwIfNoEntry: false }) !== undefined) return at;
    if (path.dirname(at) === at) return undefined;
  }
}

/** Settings that we adopt: data that decides how files and blobs compare, and nothing that names a program. */
const adopted = [
  "core.autocrlf",
  "core.eol",
  "core.filemode",
  "core.symlinks",
  "core.ignorecase",
  "core.precomposeunicode",
  "core.excludesfile",
  "extensions.objectformat",
];

/** Overrides for the few calls that must use the repository's own git folder; none of them should run a program. */
const disarmed: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.editor", "false"],
  ["core.askPass", "false"],
  ["core.sshCommand", "false"],
  ["core.gitProxy", ""],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["gpg.program", "false"],
  ["protocol.allow", "never"],
];

const shared = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat",
};

/** The environment of a call that uses the repository's own git folder, with the user's settings as data. */
export function repositoryEnvironment(): Record<string, string> {
  const overrides = disarmed.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  const configHome = process.env["XDG_CONFIG_HOME"];
  return {
    ...shared,
    HOME: homedir(),
    ...(configHome !== undefined && { XDG_CONFIG_HOME: configHome }),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CONFIG_COUNT: `${disarmed.length}`,
    ...Object.fromEntries(overrides),
  };
}

/** The environment of a call that uses our git folder: the repository's configuration is not read at all. */
export function ownEnvironment({ own, top }: Pick<Repository, "own" | "top">): Record<string, string> {
  return {
    ...shared,
    HOME: own,
    XDG_CONFIG_HOME: own,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_DIR: own,
    GIT_WORK_TREE: top,
    GIT_INDEX_FILE: path.join(own, "index"),
  };
}

/** Finds the repository of a folder and prepares our own git folder for it; undefined when it is in none, or ignored there. */
export async function openRepository(
  git: Git,
  root: string,
  folder: string,
): Promise<Repository | undefined> {
  const env = repositoryEnvironment();
  const found = await git
    .run({
      args: [
        "rev-parse",
        "--is-inside-work-tree",
        "--show-toplevel",
        "--absolute-git-dir",
        "--git-path",
        "objects",
        "--git-path",
        "index",
        "--git-path",
        "info/attributes",
        "--git-path",
        "info/exclude",
        "--show-prefix",
      ],
      cwd: root,
      env,
    })
    .catch(() => undefined);
  const lines = found?.toString("utf8").split("\n") ?? [];
  // A path with a line feed in it would be taken for two; such a repository is left alone.
  if (lines.length !== 9 || lines[0] !== "true") return undefined;
  const [, top = "", gitFolder = "", objects = "", index = "", attributes = "", exclude = "", prefix = ""] =
    lines;
  if (!isOwnRepository({ top, gitFolder })) return undefined;
  const { settings } = await readSettings(git, { top, gitFolder });
  const own = path.join(folder, createHash("sha256").update(root).digest("hex").slice(0, 16));
  const repository: Repository = {
    top,
    prefix,
    gitFolder,
    objects: path.resolve(root, objects),
    index: path.resolve(root, index),
    attributes: path.resolve(root, attributes),
    exclude: path.resolve(root, exclude),
    settings,
    own,
  };
  await makeOwnFolder(repository);
  return (await isIgnored(git, repository)) ? undefined : repository;
}

/** The parts of a git folder that can lead elsewhere. */
const movableParts = ["HEAD", "index", "objects", "refs", "refs/heads", "packed-refs", "logs"];

/**
 * Whether a git folder belongs to its working tree: it lies there whole, or is a repository that names the tree in turn.
 * An agent can write a `.git` that leads to any other, whose files would be shown and whose branches would be moved.
 */
export function isOwnRepository({ top, gitFolder }: Pick<Repository, "top" | "gitFolder">): boolean {
  const link = path.join(top, ".git");
  const isInside = lstatSync(link, { throwIfNoEntry: false })?.isDirectory() === true;
  const owner = isInside ? link : linkedRepository(top);
  if (owner === undefined) return false;
  try {
    const real = realpathSync(owner);
    // Only the folder of a linked working tree has another one beside it.
    const isWhole =
      !isInside || lstatSync(path.join(link, "commondir"), { throwIfNoEntry: false }) === undefined;
    return (
      isWhole && liesIn(realpathSync(gitFolder), [real]) && movableParts.every((part) => staysIn(real, part))
    );
  } catch {
    // It was there, and is gone.
    return false;
  }
}

/** Whether a part of a folder is there whole, or not at all. */
function staysIn(folder: string, part: string): boolean {
  const file = path.join(folder, part);
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return true;
  return realpathSync(file) === file;
}

/** A folder that its repository ignores would seem never to change. */
async function isIgnored(git: Git, repository: Repository): Promise<boolean> {
  if (repository.prefix === "") return false;
  await copyExclude(git, repository);
  const args = ["check-ignore", "-q", "--no-index", repository.prefix.slice(0, -1)];
  // This command takes no literal pathspecs.
  const env = { ...ownEnvironment(repository), GIT_LITERAL_PATHSPECS: "0" };
  return git.run({ args, cwd: repository.top, env }).then(
    () => true,
    () => false,
  );
}

/** A list of names beyond this is not read. */
const maxExcludeBytes = 1024 * 1024;

/**
 * Brings our copy of what the repository ignores up to date, unless it is in the state `known`; gives its state. In the
 * isolation, since an agent may have put a link in its place.
 */
export async function copyExclude(
  git: Git,
  { exclude, own, top }: Repository,
  known?: string,
): Promise<string> {
  const copy = path.join(own, "info/exclude");
  const found = await lstat(exclude).catch(() => undefined);
  const isRead = found?.isFile() === true && found.size <= maxExcludeBytes;
  const state = isRead ? `${found.ino} ${found.size} ${found.ctimeMs}` : "none";
  if (state === known) return state;
  await rm(copy, { force: true });
  if (!isRead) return state;
  // Where the copy failed, the next snapshot tries again.
  return git.run({ program: "cp", args: ["--", exclude, copy], cwd: top, env: {} }).then(
    () => state,
    () => "failed",
  );
}

/** Reads the configuration as it is now. */
export async function readSettings(
  git: Git,
  { top, gitFolder }: Pick<Repository, "top" | "gitFolder">,
): Promise<Settings> {
  const names = `^(${adopted.map((name) => name.replace(".", "\\.")).join("|")}|user\\.(name|email)|filter\\..*)$`;
  const args = ["config", "-z", "--get-regexp", names];
  const env = { ...repositoryEnvironment(), GIT_DIR: gitFolder };
  const output = await git.run({ args, cwd: top, env }).catch((error: unknown) => {
    // It fails where nothing is configured. After a timeout nobody knows whether a filter is.
    if (error instanceof GitError && error.limit === undefined) return Buffer.alloc(0);
    throw error;
  });
  const settings = new Map<string, string>();
  const filters = new Set<string>();
  const user = new Map<string, string>();
  for (const record of output.toString("utf8").split("\0")) {
    const split = record.indexOf("\n");
    // A name without a value is a flag that is set.
    const [name, value] = split < 0 ? [record, "true"] : [record.slice(0, split), record.slice(split + 1)];
    if (adopted.includes(name)) settings.set(name, value);
    else if (name.startsWith("user.")) user.set(name, value);
    else if (name.startsWith("filter.")) filters.add(name.slice("filter.".length, name.lastIndexOf(".")));
  }
  const author = { name: user.get("user.name") ?? "", email: user.get("user.email") ?? "" };
  return { settings, filters, author: author.name === "" || author.email === "" ? undefined : author };
}

async function makeOwnFolder(repository: Repository): Promise<void> {
  const { own, objects } = repository;
  await mkdir(path.join(own, "refs"), { recursive: true, mode: 0o700 });
  await mkdir(path.join(own, "objects/info"), { recursive: true, mode: 0o700 });
  await mkdir(path.join(own, "info"), { recursive: true, mode: 0o700 });
  await writeFile(path.join(own, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(path.join(own, "objects/info/alternates"), `${objects}\n`);
  await writeFile(path.join(own, "config"), configOf(repository));
}

/** Our configuration. A power cut may cost a snapshot, so nothing waits for the disk; the repository itself is not affected. */
function configOf({ settings, attributes }: Repository): string {
  const format = settings.get("extensions.objectformat");
  const lines = [
    "[core]",
    `repositoryformatversion = ${format === undefined ? 0 : 1}`,
    "bare = false",
    "hooksPath = /dev/null",
    "fsmonitor = false",
    "fsync = none",
    "untrackedCache = true",
    "quotePath = false",
    `attributesFile = ${quote(attributes)}`,
  ];
  if (!settings.has("core.excludesfile")) lines.push(`excludesfile = ${quote(defaultExcludesFile())}`);
  for (const [name, value] of settings) {
    if (!name.startsWith("core.")) continue;
    const text = value.startsWith("~/") ? path.join(homedir(), value.slice(2)) : value;
    lines.push(`${name.slice("core.".length)} = ${quote(text)}`);
  }
  lines.push("[gc]", "auto = 0", "[diff]", "ignoreSubmodules = dirty", "[apply]", "whitespace = nowarn");
  if (format !== undefined) lines.push("[extensions]", `objectFormat = ${quote(format)}`);
  return `${lines.join("\n")}\n`;
}

/** Where git looks for names that a person ignores everywhere; our folder stands in for the home. */
function defaultExcludesFile(): string {
  const configHome = process.env["XDG_CONFIG_HOME"] ?? "";
  return path.join(configHome === "" ? path.join(homedir(), ".config") : configHome, "git/ignore");
}

function quote(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `"${escaped}"`;
}
