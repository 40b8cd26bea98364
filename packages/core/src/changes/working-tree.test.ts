// Bounds on the untracked files of a working tree: they are of the files that exist.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { sharedProcessPort } from "../testing/shared-process-port.ts";
import { Git } from "./git.ts";
import { openRepository } from "./repository.ts";
import { WorkingTree } from "./working-tree.ts";

guardLeaks();

const bounds = { maxFileBytes: 1000, maxUntrackedFiles: 3, maxUntrackedBytes: 100 };
let folder = "";
let git: Git;
let tree: WorkingTree;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "working-tree-")));
  const repository = path.join(folder, "repository");
  mkdirSync(repository);
  execFileSync("git", ["init", "-q", repository]);
  const enter = () => Promise.resolve({ id: undefined });
  git = new Git({ processPort: sharedProcessPort(), enter, scopes: () => [] });
  const found = await openRepository(git, repository, path.join(folder, "changes"));
  if (found === undefined) throw new Error("There is a repository");
  tree = new WorkingTree(git, found, bounds);
});

afterEach(() => {
  git.close();
  rmSync(folder, { recursive: true });
});

const place = (name: string): string => path.join(folder, "repository", name);
const write = (name: string, sizeBytes: number): void => writeFileSync(place(name), "x".repeat(sizeBytes));
const remove = (...names: string[]): void => names.forEach((name) => rmSync(place(name)));
const omitted = async (): Promise<string[]> =>
  (await tree.refresh()).map(({ path: name, reason }) => `${name.toString()} ${reason}`);

test("[N747] untracked files that are gone make room for others, at once", async () => {
  for (const name of ["b", "c", "d", "e"]) write(name, 10);
  expect(await omitted()).toEqual(["e too-many"]);
  expect(await omitted()).toEqual(["e too-many"]);
  remove("b", "c", "e");
  // They are listed before those that are gone.
  for (const name of ["a", "f"]) write(name, 40);
  expect(await omitted()).toEqual([]);
  write("g", 1);
  expect(await omitted()).toEqual(["g too-many"]);
});

test("[N747] the bytes of untracked files are counted as they are", async () => {
  write("a", 60);
  write("b", 30);
  expect(await omitted()).toEqual([]);
  write("b", 45);
  expect(await omitted()).toEqual(["b too-many"]);
  write("a", 10);
  expect(await omitted()).toEqual([]);
  write("c", 46);
  expect(await omitted()).toEqual(["c too-many"]);
  remove("a");
  expect(await omitted()).toEqual([]);
});
