// Kinds of repositories and folders: which of them changes are shown for, at which cost, and what never runs.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { guardLeaks } from "../testing/detector.ts";
import { type FakeHost, ME, useFakeHosts } from "../testing/fake-host.ts";
import type { FakeSession } from "../testing/fake-session.ts";
import { ask, type Step, update } from "../testing/script.ts";

guardLeaks();
const newHost = useFakeHosts();

/** Outside of the temporary folders, which every level may change. */
const root = fileURLToPath(new URL("../../../../", import.meta.url));
const base = realpathSync(mkdtempSync(path.join(root, "node_modules/.repositories-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const person = [
  "-c",
  "user.name=Ann",
  "-c",
  "user.email=ann@example.org",
  "-c",
  "protocol.file.allow=always",
];
const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", [...person, "-C", folder, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

let count = 0;
let folder = "";

beforeEach(() => {
  count += 1;
  folder = path.join(base, `${count}`);
  mkdirSync(folder);
});

function write(name: string, text: string, options: { mode?: number } = {}): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, options);
}

/** A repository with a commit, below the test's folder. */
function makeRepository(name: string, files: Readonly<Record<string, string>> = { "a.txt": "a\n" }): string {
  const place = path.join(folder, name);
  mkdirSync(place, { recursive: true });
  git(place, "init", "-q", "-b", "main");
  for (const [file, text] of Object.entries(files)) write(path.join(name, file), text);
  git(place, "add", "-A");
  git(place, "commit", "-qm", "first");
  return place;
}

interface Scene {
  readonly host: FakeHost;
  readonly session: FakeSession;
}

/** A session whose agent runs a line of shell in its only turn. */
async function play(cwd: string, line: string, level = "none"): Promise<Scene> {
  const terminalId = "$run.terminalId";
  const go: Step[] = [
    ask("run", "terminal/create", { command: line }),
    ask("exit", "terminal/wait_for_exit", { terminalId }),
    ask("release", "terminal/release", { terminalId }),
  ];
  const host = newHost({ config: { isolation: { level } }, agents: { mine: { prompts: { go } } } });
  const session = await host.open({ cwd, approvalPolicy: "approve-all" });
  await session.turn("go");
  return { host, session };
}

const list = ({ host, session }: Scene) => host.host.changes.list(session.key, undefined, ME);
const diff = ({ host, session }: Scene, file?: string) =>
  host.host.changes.diff(session.key, { path: file }, ME);
const paths = async (scene: Scene) => (await list(scene)).files.map((file) => file.path);

test("[N745] of a session in a subfolder, only that folder's changes are shown, relative to it", async () => {
  const repository = makeRepository("whole", {
    "sub/a.txt": "a\n",
    "other/b.txt": "b\n",
    ".gitignore": "*.log\n",
  });
  const scene = await play(
    path.join(repository, "sub"),
    "echo x >> a.txt; echo x > new; echo x > x.log; echo x >> ../other/b.txt",
  );
  expect(await list(scene)).toMatchObject({ folder: path.join(repository, "sub"), isComplete: true });
  expect(await paths(scene)).toEqual(["a.txt", "new"]);
  await scene.host.host.changes.revert(
    scene.session.key,
    { files: [{ path: "a.txt" }, { path: "new" }] },
    ME,
  );
  expect(git(repository, "status", "--porcelain")).toBe(" M other/b.txt\n");
});

test("[N745] linked worktrees, repositories without a commit and split indexes work", async () => {
  const main = makeRepository("main");
  git(main, "worktree", "add", "-q", path.join(folder, "tree"));
  const linked = await play(path.join(folder, "tree"), "echo x >> a.txt");
  expect(await paths(linked)).toEqual(["a.txt"]);
  await linked.host.host.changes.stage(linked.session.key, ["a.txt"], ME);
  expect(git(path.join(folder, "tree"), "status", "--porcelain")).toBe("M  a.txt\n");
  expect(git(main, "status", "--porcelain")).toBe("");

  const empty = path.join(folder, "empty");
  mkdirSync(empty);
  git(empty, "init", "-q", "-b", "main");
  git(empty, "config", "user.name", "Ann");
  git(empty, "config", "user.email", "ann@example.org");
  write("empty/before.txt", "before\n");
  const unborn = await play(empty, "echo x > new.txt");
  expect(await paths(unborn)).toEqual(["new.txt"]);
  await unborn.host.host.changes.commit(unborn.session.key, { message: "First", paths: ["new.txt"] }, ME);
  expect(git(empty, "log", "--format=%s", "--name-only")).toBe("First\n\nnew.txt\n");

  const split = makeRepository("split");
  git(split, "update-index", "--split-index");
  expect(await paths(await play(split, "echo x >> a.txt; echo x > b.txt"))).toEqual(["a.txt", "b.txt"]);
});

/** Ways to pass another repository off as one's own. */
const disguises: Readonly<Record<string, (other: string) => string>> = {
  "a .git that names it": (other) => `rm -rf .git; echo "gitdir: ${other}/.git" > .git`,
  "a link to its .git": (other) => `rm -rf .git; ln -s ${other}/.git .git`,
  "a common folder": (other) => `echo ${other}/.git > .git/commondir`,
  "a link to its branches": (other) =>
    `rm -rf .git/refs/heads; ln -s ${other}/.git/refs/heads .git/refs/heads`,
};

test.each(Object.entries(disguises))(
  "[V742] another repository is neither read nor written, by %s",
  async (_, make) => {
    const other = makeRepository("other", { "secret.txt": "secret\n" });
    const own = makeRepository("own");
    for (const each of [own, other]) {
      git(each, "config", "user.name", "Ann");
      git(each, "config", "user.email", "ann@example.org");
    }
    const before = git(other, "log", "--format=%H");
    const later = await play(own, make(other));
    writeFileSync(path.join(own, "a.txt"), "changed\n");
    const options = { message: "Mine", paths: ["a.txt"] };
    const commit = ({ host, session }: Scene) => host.host.changes.commit(session.key, options, ME);
    await expect(commit(later)).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
    // A session that begins now finds no repository.
    const next = await play(own, "true");
    expect(JSON.stringify(await list(next))).not.toContain("secret");
    await expect(commit(next)).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
    expect(git(other, "log", "--format=%H")).toBe(before);
  },
);

test("[N745] a submodule shows its commit, and cannot be reverted; a new repository inside is named and left out", async () => {
  const library = makeRepository("library");
  const main = makeRepository("main");
  git(main, "submodule", "add", "-q", library, "lib");
  git(main, "commit", "-qm", "second");
  const line = `cd lib && echo x >> a.txt && git ${person.slice(0, 4).join(" ")} commit -qam more; cd .. && git init -q inside && echo x > inside/file`;
  const scene = await play(main, line);
  const { files, omitted, isComplete } = await list(scene);
  expect(files).toMatchObject([{ path: "lib", status: "modified", kind: "submodule" }]);
  expect({ omitted, isComplete }).toEqual({
    omitted: [{ path: "inside/", reason: "nested-repository" }],
    isComplete: false,
  });
  const { changes } = scene.host.host;
  await expect(changes.revert(scene.session.key, { files: [{ path: "lib" }] }, ME)).rejects.toMatchObject({
    code: "INVALID_REQUEST",
  });
});

test("[N746] outside a repository, in an ignored folder and in a bare repository, what the agent reports is shown", async () => {
  const ignoring = makeRepository("ignoring", { ".gitignore": "out/\n" });
  write("ignoring/out/a.txt", "a\n");
  git(folder, "init", "-q", "--bare", "bare");
  // The repository around the test's folder ignores it, too.
  const plain = path.join(folder, "plain");
  mkdirSync(plain);
  for (const cwd of [path.join(ignoring, "out"), path.join(folder, "bare"), plain]) {
    const edit = (path_: string, oldText: string | null, newText: string): Step =>
      update("tool_call", {
        toolCallId: path_ + newText,
        title: "Edit",
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: path_, oldText, newText }],
      });
    const prompts = {
      go: [
        edit(path.join(cwd, "new.txt"), null, "one\ntwo\n"),
        edit("/elsewhere/b.txt", "a\nb\nc\n", "a\nB\nc\n"),
      ],
      on: [edit(path.join(cwd, "new.txt"), "one\ntwo\n", "one\n2\n")],
    };
    const host = newHost({ agents: { mine: { prompts } } });
    const session = await host.open({ cwd });
    await session.turn("go");
    await session.turn("on");
    const changes = await list({ host, session });
    expect(changes).toMatchObject({ source: "agent", folder: cwd, turns: [1, 2], isComplete: false });
    expect(
      changes.files.map(({ path: name, status, additions, deletions }) => [
        name,
        status,
        additions,
        deletions,
      ]),
    ).toEqual([
      ["new.txt", "added", 3, 1],
      ["/elsewhere/b.txt", "modified", 1, 1],
    ]);
    const { diffs } = await host.host.changes.diff(session.key, { turn: "1", path: "/elsewhere/b.txt" }, ME);
    expect(diffs.map(({ hunks }) => hunks.map(({ text, oldStart }) => [oldStart, text]))).toEqual([
      [[2, "-b\n+B\n"]],
    ]);
    const request = { files: [{ path: "new.txt" }] };
    await expect(host.host.changes.revert(session.key, request, ME)).rejects.toMatchObject({
      code: "CHANGES_UNAVAILABLE",
    });
  }
});

test("[N747] large and unreadable files and too many untracked ones are left out and named", async () => {
  const repository = makeRepository("big");
  const line =
    "head -c 9000000 /dev/zero > large.bin; mkdir many; cd many; seq 5010 | xargs -n 1000 touch; cd ..; echo x >> a.txt";
  const scene = await play(repository, line);
  const { files, omitted, isComplete } = await list(scene);
  expect(isComplete).toBe(false);
  expect(files).toHaveLength(5000);
  expect(files[0]?.path).toBe("a.txt");
  expect(omitted.map(({ reason }) => reason)).toEqual([
    "too-large",
    ...Array.from({ length: 10 }, () => "too-many"),
  ]);
});

test("[Z980] a diff that is left out of the others is given alone, up to its own bound, and takes no room from others", async () => {
  const repository = makeRepository("large-diffs");
  // More lines than all may have, more bytes than one may have, more lines than one has alone, and small ones between them.
  const line =
    "seq 1 30000 > huge.txt; seq 1000000 1015000 | sed 's/$/ and more text than half a megabyte of lines may have/' > long.txt; " +
    "seq 1 8000 > middle.txt; yes | head -n 200001 > vast.txt; echo x > z.txt";
  const scene = await play(repository, line);
  const all = await diff(scene);
  expect(
    all.diffs.map(({ file, hunks, isTooLarge, canReadAlone }) => [
      file.path,
      hunks.length,
      isTooLarge,
      canReadAlone,
    ]),
  ).toEqual([
    ["huge.txt", 0, true, true],
    ["long.txt", 0, true, true],
    ["middle.txt", 1, undefined, undefined],
    ["vast.txt", 0, true, undefined],
    ["z.txt", 1, undefined, undefined],
  ]);
  const huge = await diff(scene, "huge.txt");
  expect(huge.isComplete).toBe(true);
  expect(huge.diffs[0]?.hunks[0]?.newLines).toBe(30_000);
  expect((await diff(scene, "long.txt")).diffs[0]?.hunks).toHaveLength(1);
  expect((await diff(scene, "vast.txt")).diffs).toMatchObject([{ hunks: [], isTooLarge: true }]);
});

test.runIf(process.env["HOLDFAST_LONG"] !== undefined)(
  "[N748] 500 changed files of 50,000 are listed in less than a second",
  async () => {
    const repository = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : base, "changes-"));
    try {
      for (let part = 0; part < 500; part += 1) {
        mkdirSync(path.join(repository, `part-${part}`), { recursive: true });
        for (let file = 0; file < 100; file += 1) {
          writeFileSync(path.join(repository, `part-${part}/${file}.txt`), `${part} ${file}\n`);
        }
      }
      git(repository, "init", "-q");
      git(repository, "add", "-A");
      git(repository, "-c", "gc.auto=0", "commit", "-qm", "first");
      const scene = await play(repository, "true");
      await list(scene);
      for (let part = 0; part < 500; part += 1) {
        writeFileSync(path.join(repository, `part-${part}/1.txt`), "x\n");
      }
      const startMs = performance.now();
      const { summary } = await list(scene);
      const tookMs = performance.now() - startMs;
      expect(summary).toEqual({ files: 500, additions: 500, deletions: 500 });
      const statusMs = performance.now();
      git(repository, "status", "--porcelain");
      // A machine that others use too is slower for git itself.
      expect(tookMs).toBeLessThan(Math.max(1000, 6 * (performance.now() - statusMs)));
    } finally {
      rmSync(repository, { recursive: true });
    }
  },
  180_000,
);

const linuxLevels =
  process.env["HOLDFAST_LONG"] === undefined ? ["none", "workspace"] : ["none", "guard", "workspace"];
const levels = process.platform === "linux" ? linuxLevels : ["none"];

describe.each(levels)("a hostile repository under %s", (level) => {
  test("[V740] nothing that a repository's configuration names is run, whatever is asked", async () => {
    const library = makeRepository("library");
    const repository = makeRepository("hostile", { "a.txt": "a\n", "b.bin": "b\n" });
    git(repository, "submodule", "add", "-q", library, "lib");
    git(repository, "commit", "-qm", "second");
    git(repository, "config", "user.name", "Ann");
    git(repository, "config", "user.email", "ann@example.org");
    const { marker, settings } = plantTraps(repository);
    const scene = await play(
      repository,
      "echo x >> a.txt; echo x >> b.bin; echo x > new.txt; echo x >> lib/a.txt",
      level,
    );
    const { key } = scene.session;
    const { changes } = scene.host.host;
    expect(existsSync(marker)).toBe(false);
    expect(await paths(scene)).toEqual(["a.txt", "b.bin", "new.txt"]);
    await changes.diff(key, {}, ME);
    await changes.revert(key, { files: [{ path: "b.bin" }] }, ME);
    await expect(changes.stage(key, ["a.txt"], ME)).rejects.toMatchObject({ code: "CHANGES_UNAVAILABLE" });
    write("hostile/.gitattributes", "* diff=evil\n");
    await changes.stage(key, ["a.txt"], ME);
    await changes.commit(key, { message: "Third" }, ME);
    await list(scene);
    expect(existsSync(marker) ? readFileSync(marker, "utf8") : "nothing ran").toBe("nothing ran");
    // The traps do work: git runs them where it reads this configuration.
    execFileSync("git", ["status"], { cwd: repository, stdio: "ignore" });
    expect(readFileSync(marker, "utf8")).toContain("fsmonitor");
    expect(settings).toBeGreaterThan(10);
  });
});

/** A setting as `git config` would write it, without a process for each. */
function settingText(name: string, value: string): string {
  const [section, ...rest] = name.split(".");
  const key = rest.at(-1);
  const heading = rest.length > 1 ? `${section} "${rest.slice(0, -1).join(".")}"` : section;
  return `[${heading}]\n\t${key} = "${value}"\n`;
}

/** Makes a repository name programs everywhere git would run one; each leaves its name in the marker. */
function plantTraps(repository: string): { readonly marker: string; readonly settings: number } {
  const marker = path.join(folder, "ran");
  const trap = (name: string): string => {
    const file = path.join(folder, `trap-${name}`);
    writeFileSync(file, `#!/bin/sh\necho ${name} >> ${marker}\ncat 2>/dev/null\n`, { mode: 0o755 });
    return file;
  };
  const settings: Readonly<Record<string, string>> = {
    "core.fsmonitor": trap("fsmonitor"),
    "core.sshCommand": trap("ssh"),
    "core.pager": trap("pager"),
    "core.editor": trap("editor"),
    "core.askPass": trap("askpass"),
    "core.hooksPath": path.join(folder, "hooks"),
    "diff.external": trap("external"),
    "diff.evil.command": trap("diff-command"),
    "diff.evil.textconv": trap("textconv"),
    "filter.evil.clean": trap("clean"),
    "filter.evil.smudge": trap("smudge"),
    "filter.evil.process": trap("process"),
    "filter.evil.required": "true",
    "merge.evil.driver": trap("merge"),
    "credential.helper": trap("credential"),
    "gpg.program": trap("gpg"),
    "commit.gpgSign": "true",
    "gc.auto": "1",
    "alias.diff-index": `!${trap("alias")}`,
    "alias.ls-files": `!${trap("alias")}`,
    "extensions.partialClone": "origin",
    "remote.origin.url": `ext::${trap("transport")}`,
    "remote.origin.promisor": "true",
    "protocol.ext.allow": "always",
    "submodule.recurse": "true",
    "status.submoduleSummary": "true",
    "diff.submodule": "log",
  };
  mkdirSync(path.join(folder, "hooks"));
  const hooks = [
    "pre-commit",
    "post-commit",
    "post-index-change",
    "reference-transaction",
    "post-checkout",
    "commit-msg",
  ];
  for (const hook of hooks) {
    const program = `#!/bin/sh\necho hook-${hook} >> ${marker}\n`;
    writeFileSync(path.join(folder, "hooks", hook), program, { mode: 0o755 });
    writeFileSync(path.join(repository, ".git/hooks", hook), program, { mode: 0o755 });
  }
  const included = path.join(folder, "included");
  const text = Object.entries(settings).map(([name, value]) => settingText(name, value));
  for (const file of [
    path.join(repository, ".git/config"),
    path.join(repository, ".git/modules/lib/config"),
    included,
  ]) {
    appendFileSync(file, text.join(""));
  }
  const condition = `includeIf.gitdir:${folder}/.path`;
  execFileSync("git", ["config", "--file", path.join(repository, ".git/config"), condition, included]);
  writeFileSync(path.join(repository, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
  writeFileSync(path.join(repository, ".git/info/attributes"), "*.bin diff=evil\n");
  return { marker, settings: Object.keys(settings).length };
}
