// Which folders a sandbox leaves writable: of the host's program, and of the repository of a worktree.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lastingFolder } from "../testing/lasting-folder.ts";
import { Isolation } from "./isolation.ts";

const checkout = "/src/holdfast";
const paths = { hidden: ["/home/host"], readOnly: [checkout], private: [] };
const isolation = new Isolation(
  { level: "guard", require: false, writable: [], visible: [], hidden: [], keepSecrets: [] },
  paths,
);

const writableIn = (level: "guard" | "workspace", root: string): readonly string[] =>
  isolation
    .specFor(level, { roots: [root], ownFolders: [] })
    .writable.filter((each) => each.startsWith("/src"));

test.each([
  ["elsewhere", "/src/other", []],
  ["above the checkout", "/src", []],
  ["the checkout", checkout, [checkout, `${checkout}/.git`]],
  ["in the checkout", `${checkout}/packages/web`, [`${checkout}/packages/web`, `${checkout}/.git`]],
])(
  "[V702] under guard a session %s may change of the checkout what it works on",
  (_where, root, writable) => {
    expect(writableIn("guard", root)).toEqual(writable);
  },
);

test("[V702] under workspace the checkout cannot be changed from above", () => {
  const { readOnly, fixed = [] } = isolation.specFor("workspace", { roots: ["/src"], ownFolders: [] });
  expect([readOnly, fixed.includes(checkout)]).toEqual([[], true]);
  const inside = isolation.specFor("workspace", { roots: [checkout], ownFolders: [] });
  expect([inside.readOnly, inside.fixed?.includes(checkout)]).toEqual([[checkout], false]);
});

test("[V741] the repository of a worktree is mounted where it is not writable anyway, and only there", () => {
  const folder = realpathSync(mkdtempSync(path.join(lastingFolder(), "isolation-worktree-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [owner, tree] = [path.join(folder, "owner"), path.join(folder, "tree")];
  mkdirSync(owner);
  const git = (...words: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: owner,
      stdio: "ignore",
    });
  git("init");
  git("commit", "--allow-empty", "-m", "first");
  git("worktree", "add", tree);
  const ofRoots = (...roots: string[]): readonly string[] =>
    isolation
      .specFor("workspace", { roots, ownFolders: [] })
      .writable.filter((each) => each.startsWith(folder));
  expect(ofRoots(tree)).toEqual([tree, path.join(owner, ".git")]);
  expect(ofRoots(tree, owner)).toEqual([tree, owner]);
});
