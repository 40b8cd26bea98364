// Which repository a folder may write to besides itself: the one that names it, whatever the folder's own files say.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { linkedRepository } from "./linked-repository.ts";

let folder: string;
let owner: string;
let app: string;

const git = (cwd: string, ...words: string[]): void =>
  void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd, stdio: "ignore" });

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "linked-repository-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  owner = path.join(folder, "owner");
  app = path.join(folder, "app");
  for (const each of [owner, app]) mkdirSync(each);
  git(owner, "init");
  git(owner, "commit", "--allow-empty", "-m", "first");
});

/** Puts a file in the folder of the agent. */
const write = (name: string, text: string): void => {
  mkdirSync(path.dirname(path.join(app, name)), { recursive: true });
  writeFileSync(path.join(app, name), text);
};

describe("[V741] a folder that is linked", () => {
  it("[V741] as a worktree has the repository that it belongs to", () => {
    git(owner, "worktree", "add", path.join(folder, "tree"));
    expect(linkedRepository(path.join(folder, "tree"))).toBe(path.join(owner, ".git"));
  });

  it("[V741] as a submodule has the repository whose configuration names it", () => {
    const module = path.join(owner, ".git", "modules", "app");
    mkdirSync(path.dirname(module), { recursive: true });
    git(owner, "clone", "--bare", owner, module);
    git(module, "config", "core.worktree", app);
    write(".git", `gitdir: ${module}\n`);
    expect(linkedRepository(app)).toBe(module);
  });

  it("[V741] by a setting with a carriage return in its value has none", () => {
    const module = path.join(owner, ".git", "modules", "app");
    mkdirSync(path.dirname(module), { recursive: true });
    git(owner, "clone", "--bare", owner, module);
    appendFileSync(path.join(module, "config"), `[remote "other"]\n\turl = x\rworktree = ${app}\n`);
    write(".git", `gitdir: ${module}\n`);
    expect(linkedRepository(app)).toBeUndefined();
  });

  it.each<[string, () => void]>([
    ["another repository", () => write(".git", `gitdir: ${owner}/.git\n`)],
    ["a plain folder", () => write(".git", "gitdir: /etc\n")],
    ["everything", () => write(".git", "gitdir: /\n")],
    [
      "a folder inside it that names another repository",
      () => {
        write(".git", "gitdir: g\n");
        write("g/commondir", `${owner}/.git\n`);
        write("g/gitdir", path.join(app, ".git"));
      },
    ],
    [
      "a folder inside it that looks like one of a worktree",
      () => {
        write(".git", "gitdir: worktrees/g\n");
        write("worktrees/g/commondir", `${owner}/.git\n`);
        write("worktrees/g/gitdir", path.join(app, ".git"));
      },
    ],
    [
      "another repository through a link",
      () => {
        symlinkSync(path.join(owner, ".git"), path.join(app, "link"));
        write(".git", "gitdir: link\n");
      },
    ],
    ["nothing, as it is a link itself", () => symlinkSync(path.join(owner, ".git"), path.join(app, ".git"))],
  ])("[V741] by the agent to %s has none", (_what, plant) => {
    plant();
    expect(linkedRepository(app)).toBeUndefined();
  });

  it("[V741] by a folder called worktrees has none above it", () => {
    const inner = path.join(folder, "worktrees", "inner");
    mkdirSync(inner, { recursive: true });
    writeFileSync(path.join(inner, ".git"), "gitdir: .\n");
    writeFileSync(path.join(inner, "commondir"), "../..\n");
    writeFileSync(path.join(inner, "gitdir"), path.join(inner, ".git"));
    expect(linkedRepository(inner)).toBeUndefined();
  });

  it("[V741] by a pipe or a huge file does not keep the host waiting", () => {
    execFileSync("mkfifo", [path.join(app, ".git")]);
    expect(linkedRepository(app)).toBeUndefined();
    rmSync(path.join(app, ".git"));
    write(".git", "gitdir: worktrees/g\n");
    mkdirSync(path.join(app, "worktrees/g"), { recursive: true });
    execFileSync("mkfifo", [path.join(app, "worktrees/g/commondir")]);
    expect(linkedRepository(app)).toBeUndefined();
    truncateSync(path.join(app, ".git"), 6 * 1024 ** 3);
    expect(linkedRepository(app)).toBeUndefined();
  });
});
