// Snapshots of turns: which are kept, and what is left on the disk of those that are not.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { sharedProcessPort } from "../testing/shared-process-port.ts";
import { Git } from "./git.ts";
import { openRepository, ownEnvironment, type Repository } from "./repository.ts";
import { Snapshots } from "./snapshots.ts";
import { WorkingTree } from "./working-tree.ts";

guardLeaks();

let folder = "";
let git: Git;
let repository: Repository;

const person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
const inTree = (...args: string[]): string =>
  execFileSync("git", [...person, "-C", path.join(folder, "tree"), ...args], { encoding: "utf8" });
const inOurs = (...args: string[]): string => {
  const env = { ...process.env, ...ownEnvironment(repository) };
  return execFileSync("git", args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
};
const write = (name: string, text: string): void => writeFileSync(path.join(folder, "tree", name), text);
const filesIn = (place: string): string[] =>
  readdirSync(place, { recursive: true, encoding: "utf8" }).toSorted();

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "snapshots-")));
  mkdirSync(path.join(folder, "tree"));
  inTree("init", "-q", "-b", "main");
  write("kept.txt", "kept\n");
  inTree("add", "-A");
  inTree("commit", "-qm", "first");
  const enter = () => Promise.resolve({ id: undefined });
  git = new Git({ processPort: sharedProcessPort(), enter, scopes: () => [] });
  const found = await openRepository(git, path.join(folder, "tree"), path.join(folder, "changes"));
  if (found === undefined) throw new Error("There is a repository");
  repository = found;
});

afterEach(() => {
  git.close();
  rmSync(folder, { recursive: true });
});

/** The contents of the files of all snapshots and of our index. */
function keptContents(): string[] {
  const linesOf = (...args: string[]): string[] =>
    inOurs(...args)
      .trim()
      .split("\n");
  const lines = linesOf("for-each-ref", "--format=%(refname)").flatMap((ref) =>
    linesOf("ls-tree", "-r", ref),
  );
  const objects = [...lines, ...linesOf("ls-files", "--stage")].map((line) => /[0-9a-f]{40}/.exec(line)?.[0]);
  return [...new Set(objects)].map((object = "") => inOurs("cat-file", "blob", object).trim());
}

test("[N741] what only removed snapshots need is removed from the disk now and then, and nothing else", async () => {
  const tree = new WorkingTree(git, repository);
  const snapshots = new Snapshots(git, repository, { maxTurns: 3, pruneEvery: 4 });
  const snapshot = async (): Promise<string> => {
    await tree.refresh();
    return tree.writeTree();
  };
  const play = async (number: number): Promise<void> => {
    write("a.txt", `before ${number}\n`);
    await snapshots.begin(`turn ${number}`, await snapshot());
    write("a.txt", `after ${number}\n`);
    await snapshots.end(`turn ${number}`, await snapshot());
    await snapshots.prune();
  };
  const idOf = (text: string): string =>
    execFileSync("git", ["hash-object", "--stdin"], { input: `${text}\n`, encoding: "utf8" }).trim();
  const hasOurs = (text: string): boolean =>
    filesIn(path.join(repository.own, "objects")).includes(
      `${idOf(text).slice(0, 2)}/${idOf(text).slice(2)}`,
    );
  for (let number = 1; number <= 7; number += 1) await play(number);
  expect(["before 1", "after 1", "before 2"].map(hasOurs)).toEqual([true, false, true]);
  // The repository may lose its own copy at any time.
  inTree("add", "-A");
  inTree("commit", "-qm", "second");
  inTree("gc", "-q");
  const borrowed = filesIn(path.join(folder, "tree/.git"));
  write("staged.txt", "staged\n");
  await play(8);
  expect(["before 2", "after 5", "before 6", "after 7"].map(hasOurs)).toEqual([false, false, true, true]);
  expect(keptContents().toSorted()).toEqual(
    [
      "before 1",
      ...[6, 7, 8].flatMap((number) => [`before ${number}`, `after ${number}`]),
      "kept",
      "staged",
    ].toSorted(),
  );
  expect(filesIn(path.join(folder, "tree/.git"))).toEqual(borrowed);
});
