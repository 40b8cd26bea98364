// FIFOs in a working tree: neither a list nor a snapshot waits for them.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask } from "../testing/script.ts";
import { ControlFiles } from "./special-files.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Outside of the temporary folders, which every level may change. */
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const base = realpathSync(mkdtempSync(path.join(root, "node_modules/.special-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
let count = 0;
let repository = "";

const git = (...args: string[]): unknown => execFileSync("git", [...person, "-C", repository, ...args]);
const makeFifo = (name: string): unknown => execFileSync("mkfifo", [path.join(repository, name)]);

beforeEach(() => {
  count += 1;
  repository = path.join(base, `${count}`);
  mkdirSync(repository);
  git("init", "-q", "-b", "main");
  for (const name of ["a.txt", "b.txt", "c.txt"]) writeFileSync(path.join(repository, name), "a\n");
  git("add", "-A");
  git("commit", "-qm", "first");
});

/** A session whose agent runs a line of shell in its only turn; gives what lists the changes. */
async function play(line: string) {
  const terminalId = "$run.terminalId";
  const go = [
    ask("run", "terminal/create", { command: line }),
    ask("exit", "terminal/wait_for_exit", { terminalId }),
    ask("release", "terminal/release", { terminalId }),
  ];
  const host = newHost({ config: { isolation: { level: "none" } }, agents: { mine: { prompts: { go } } } });
  const session = await host.open({ cwd: repository, approvalPolicy: "approve-all" });
  await session.turn("go");
  return () => host.host.changes.list(session.key, undefined, ME);
}

test("[C866] a FIFO is not opened, and everything else is compared", async () => {
  const list = await play("echo x >> a.txt; rm b.txt c.txt; mkfifo pipe b.txt c.txt");
  expect(await list()).toMatchObject({
    files: [{ path: "a.txt", status: "modified" }],
    omitted: [
      { path: "b.txt", reason: "not-a-file" },
      { path: "c.txt", reason: "not-a-file" },
    ],
    isComplete: false,
  });
});

test("[C866] with a FIFO as .gitignore tracked files are compared, and one as .gitattributes is named", async () => {
  const list = await play("echo x >> a.txt; echo x > new");
  // The snapshot after the turn has been taken.
  expect(await list()).toMatchObject({ files: [{ path: "a.txt" }, { path: "new" }] });
  makeFifo(".gitignore");
  writeFileSync(path.join(repository, "later"), "");
  expect(await list()).toMatchObject({
    files: [{ path: "a.txt" }, { path: "new" }],
    omitted: [{ path: ".gitignore", reason: "not-a-file" }],
    isComplete: false,
  });
  makeFifo(".gitattributes");
  await expect(list()).rejects.toMatchObject({
    code: "CHANGES_UNAVAILABLE",
    message:
      ".gitattributes is a FIFO, a socket or a device, which git cannot read. Remove it to see the changes.",
  });
});

test("[C866] a control file below the session's folder is found by a search", async () => {
  mkdirSync(path.join(repository, "deep/er"), { recursive: true });
  makeFifo("deep/er/.gitignore");
  makeFifo("deep/.gitattributes");
  const files = new ControlFiles(repository, "deep/");
  expect(await files.findSpecial()).toEqual({ ignore: [], attributes: ["deep/.gitattributes"] });
  await files.search();
  expect(await files.findSpecial()).toEqual({
    ignore: ["deep/er/.gitignore"],
    attributes: ["deep/.gitattributes"],
  });
});
