// Files that git ignores by lists outside of the working tree: they are no changes.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { ME, useFakeHosts } from "../testing/fake-host.ts";
import { ask } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Outside of the temporary folders, which every level may change. */
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const base = realpathSync(mkdtempSync(path.join(root, "node_modules/.ignored-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const person = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
const git = (folder: string, ...args: string[]): unknown =>
  execFileSync("git", [...person, "-C", folder, ...args]);

let count = 0;
let folder = "";

beforeEach(() => {
  count += 1;
  folder = path.join(base, `${count}`);
  mkdirSync(folder);
});

function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A repository with a commit, below the test's folder. */
function makeRepository(name: string): string {
  const place = path.join(folder, name);
  mkdirSync(place);
  git(place, "init", "-q", "-b", "main");
  write(path.join(name, "a.txt"), "a\n");
  write(path.join(name, "out/b.txt"), "b\n");
  git(place, "add", "-A");
  git(place, "commit", "-qm", "first");
  return place;
}

/** A session whose agent runs a line of shell in its only turn; gives what lists the changes. */
async function play(cwd: string, line: string, level = "none") {
  const terminalId = "$run.terminalId";
  const go = [
    ask("run", "terminal/create", { command: line }),
    ask("exit", "terminal/wait_for_exit", { terminalId }),
    ask("release", "terminal/release", { terminalId }),
  ];
  const host = newHost({ config: { isolation: { level } }, agents: { mine: { prompts: { go } } } });
  const session = await host.open({ cwd, approvalPolicy: "approve-all" });
  await session.turn("go");
  return () => host.host.changes.list(session.key, undefined, ME);
}

const paths = async (list: Awaited<ReturnType<typeof play>>) => (await list()).files.map((file) => file.path);

/** The tests of the person's own file run under none. */
const levels = process.platform === "linux" ? ["none", "workspace"] : ["none"];

test.each(levels)(
  "[N740] files that info/exclude names are left out, also in a linked worktree, under %s",
  async (level) => {
    const repository = makeRepository("whole");
    write("whole/.git/info/exclude", "*.key\n/out/\n");
    const list = await play(repository, "echo x >> a.txt; echo x > mine.key; echo x > new.log", level);
    expect(await paths(list)).toEqual(["a.txt", "new.log"]);
    write("whole/.git/info/exclude", "*.tmp\n");
    write("whole/later.tmp", "x\n");
    expect(await paths(list)).toEqual(["a.txt", "mine.key", "new.log"]);
    rmSync(path.join(repository, ".git/info/exclude"));
    expect(await paths(list)).toContain("later.tmp");
    write("whole/.git/info/exclude", "*.key\n/out/\n");
    const inside = await play(path.join(repository, "out"), "echo x >> b.txt", level);
    expect(await inside()).toMatchObject({ source: "agent" });
    git(repository, "worktree", "add", "-q", path.join(folder, "tree"));
    const linked = await play(path.join(folder, "tree"), "echo x >> a.txt; echo x > mine.key", level);
    expect(await paths(linked)).toEqual(["a.txt"]);
  },
);

test("[N740] files that the person's global ignore file names are left out, wherever it is", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("HOME", path.join(folder, "home"));
  vi.stubEnv("XDG_CONFIG_HOME", undefined);
  const line = "echo x >> a.txt; echo x > one; echo x > two; echo x > three";
  write("home/.config/git/ignore", "one\n");
  expect(await paths(await play(makeRepository("first"), line))).toEqual(["a.txt", "three", "two"]);
  vi.stubEnv("XDG_CONFIG_HOME", path.join(folder, "config"));
  write("config/git/ignore", "two\n");
  expect(await paths(await play(makeRepository("second"), line))).toEqual(["a.txt", "one", "three"]);
  write("config/git/config", `[core]\n\texcludesFile = ${path.join(folder, "mine")}\n`);
  write("mine", "three\n");
  expect(await paths(await play(makeRepository("third"), line))).toEqual(["a.txt", "one", "two"]);
});
